import type { AudioPart, FilePart, ImagePart, TextPart } from './content-part.ts';
import type { FileSource } from './file-data.ts';
import { partBrand } from './part-brand.ts';

type TextOptions = Pick<TextPart, 'providerOptions'>;
type ImageOptions = Pick<ImagePart, 'mediaType' | 'providerOptions'>;
type FileOptions = Pick<FilePart, 'mediaType' | 'filename' | 'providerOptions'>;

/**
 * Returns a text as a part of its own, for example one with a provider's cache control.
 *
 * @example prompt.$`${textPart(manual, { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } })}`
 */
export function textPart(text: string, options: TextOptions = {}): TextPart {
  return branded({ ...options, type: 'text', text });
}

/**
 * Returns an image, from bytes, base64, a data URL, an http(s) URL, `{ openai: 'file-…' }` or a Blob. Its media type
 * is detected if it is missing.
 *
 * @example prompt.$`Describe this: ${imagePart(bytes)}`
 */
export function imagePart(image: FileSource, options: ImageOptions = {}): ImagePart {
  return branded({ ...options, type: 'image', image });
}

/**
 * Returns a document, from the same sources as an image.
 *
 * @example prompt.$`Summarize ${filePart(bytes, { mediaType: 'application/pdf' })}`
 */
export function filePart(data: FileSource, options: FileOptions): FilePart {
  return branded({ ...options, type: 'file', data });
}

/**
 * Returns an audio recording, from the same sources as an image.
 *
 * @example prompt.$`Write down ${audioPart(bytes, { mediaType: 'audio/mpeg' })}`
 */
export function audioPart(data: FileSource, options: FileOptions): AudioPart {
  return branded({ ...options, type: 'audio', data });
}

function branded<Part extends object>(part: Part): Part {
  // not enumerable, so that a copy of it is not a part
  return Object.defineProperty(part, partBrand, { value: true });
}
