import type { AudioPart, FilePart, ImagePart, TextPart } from './content-part.ts';
import type { FileSource } from './file-data.ts';

/** The same in every copy of this package. Neither JSON nor a structured clone carries it. */
const brand = Symbol.for('cueline.part');

type TextOptions = Pick<TextPart, 'providerOptions'>;
type ImageOptions = Pick<ImagePart, 'mediaType' | 'providerOptions'>;
type FileOptions = Pick<FilePart, 'mediaType' | 'filename' | 'providerOptions'>;

/**
 * A text as a part of its own, such as one with a provider's cache control.
 *
 * @example prompt.$`${textPart(manual, { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } })}`
 */
export function textPart(text: string, options: TextOptions = {}): TextPart {
  return branded({ ...options, type: 'text', text });
}

/**
 * An image, by bytes, base64, a data URL, an http(s) URL, `{ openai: 'file-…' }` or a Blob. Its media type is found out
 * where it is not given.
 *
 * @example prompt.$`Describe this: ${imagePart(bytes)}`
 */
export function imagePart(image: FileSource, options: ImageOptions = {}): ImagePart {
  return branded({ ...options, type: 'image', image });
}

/**
 * A document, given as an image is.
 *
 * @example prompt.$`Summarize ${filePart(bytes, { mediaType: 'application/pdf' })}`
 */
export function filePart(data: FileSource, options: FileOptions): FilePart {
  return branded({ ...options, type: 'file', data });
}

/**
 * A recording, given as an image is.
 *
 * @example prompt.$`Write down ${audioPart(bytes, { mediaType: 'audio/mpeg' })}`
 */
export function audioPart(data: FileSource, options: FileOptions): AudioPart {
  return branded({ ...options, type: 'audio', data });
}

/** True for what a constructor above has made, in any copy of this package; false for data of the same shape. */
export function isPart(value: object): boolean {
  return Object.hasOwn(value, brand);
}

function branded<Part extends object>(part: Part): Part {
  // not enumerable, so that no copy of it is a part
  return Object.defineProperty(part, brand, { value: true });
}
