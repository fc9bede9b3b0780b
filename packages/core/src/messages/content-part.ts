import type { SharedV4FileData, SharedV4ProviderOptions as ProviderOptions } from '@ai-sdk/provider';
import type { FilePart as SdkFilePart, TextPart as SdkTextPart } from 'ai';
import { isRecord } from '../base/is-record.ts';
import { messagePartError } from '../base/message-part-error.ts';
import { quoteValue } from '../base/quote-value.ts';
import { bytesOf } from '../json/bytes.ts';
import { isFileId, readFile, type FileContent, type FileSource } from './file-data.ts';
import { isMediaType } from './media-type.ts';
import { partBrand } from './part-brand.ts';

/** Text. */
export type TextPart = { type: 'text'; text: string; providerOptions?: ProviderOptions | undefined };

/** An image. Its media type is detected if it is missing. */
export type ImagePart = {
  type: 'image';
  image: FileSource;
  mediaType?: string | undefined;
  providerOptions?: ProviderOptions | undefined;
};

/** A document, such as a PDF. */
export type FilePart = {
  type: 'file';
  data: FileSource;
  mediaType: string;
  filename?: string | undefined;
  providerOptions?: ProviderOptions | undefined;
};

/** An audio recording. */
export type AudioPart = {
  type: 'audio';
  data: FileSource;
  mediaType: string;
  filename?: string | undefined;
  providerOptions?: ProviderOptions | undefined;
};

/** What a user can send and a tool can return: text, images, files, audio. */
export type ContentPart = TextPart | ImagePart | FilePart | AudioPart;

/** A content part in the AI SDK's current form, in which images and audio are files. */
export type SentPart = SdkTextPart | (Omit<SdkFilePart, 'data'> & { data: SharedV4FileData });

/** The types of {@link ContentPart}. */
export const contentTypes = ['text', 'image', 'file', 'audio'] as const;

const examples = { image: 'image/png', file: 'application/pdf', audio: 'audio/mpeg' };

/**
 * True for a part that `textPart`, `imagePart`, `filePart` or `audioPart` has made, in any copy of this package;
 * false for data of the same shape.
 */
export function isPart(value: object): boolean {
  return Object.hasOwn(value, partBrand);
}

/** Returns a content part as it is sent. @throws CuelineError `invalid_definition`, with the path of the fault */
export function readContentPart(part: Record<string, unknown>, path: string): SentPart {
  const type = part['type'] as ContentPart['type'];
  if (type === 'text') return { type, text: readText(part, path), ...providerOptionsOf(part, path) };
  // in a tool's result, an image has its bytes under the same name as a file
  const key = type === 'image' && part['data'] === undefined ? 'image' : 'data';
  // in a part that code creates, a string that happens to be a file id would refer to a file of the account
  if (isPart(part) && isFileId(part[key])) {
    throw messagePartError(
      `${path}.${key}`,
      `is the id of a file at a provider. Write { openai: 'file-…' }.`,
    );
  }
  const content = readFile(part[key], `${path}.${key}`);
  const filename = part['filename'] ?? content.filename;
  if (filename !== undefined && typeof filename !== 'string') {
    throw messagePartError(
      `${path}.filename`,
      `is ${quoteValue(filename)}. Write a name, such as 'report.pdf'.`,
    );
  }
  return {
    type: 'file',
    // a Blob stays in its place until the run starts, before the AI SDK sees it
    data: content.data as SharedV4FileData,
    mediaType: mediaTypeOf(part, content, path),
    ...(filename === undefined ? {} : { filename }),
    ...providerOptionsOf(part, path),
  };
}

/**
 * Reads a part of untrusted data, such as a tool's result: a part that a constructor made, or a complete file
 * or text. Ignores provider options. Returns undefined for a part that names a file elsewhere.
 * @throws CuelineError as {@link readContentPart} does
 */
export function readForeignPart(part: Record<string, unknown>, path: string): SentPart | undefined {
  if (isPart(part)) return readContentPart(part, path);
  const { providerOptions: _, ...rest } = part;
  const read = readContentPart(rest, path);
  const isElsewhere = read.type === 'file' && (read.data.type === 'url' || read.data.type === 'reference');
  return isElsewhere ? undefined : read;
}

/** Returns a part's `text`. Models refuse an empty one. */
export function readText(part: Record<string, unknown>, path: string): string {
  // a tool may have the bytes of a text, like those of an image
  const bytes = bytesOf(part['data']);
  const text = bytes === undefined ? part['text'] : new TextDecoder().decode(bytes);
  if (typeof text !== 'string') {
    throw messagePartError(
      `${path}.text`,
      `is ${text === undefined ? 'missing' : quoteValue(text)}. Write a string.`,
    );
  }
  if (text.trim() === '')
    throw messagePartError(`${path}.text`, 'is empty. Models refuse empty texts; leave the part out.');
  return text;
}

/** Returns a part's provider options, to spread into the sent part. */
export function providerOptionsOf(
  part: Record<string, unknown>,
  path: string,
): { providerOptions?: ProviderOptions } {
  const { providerOptions } = part;
  if (providerOptions === undefined) return {};
  if (isRecord(providerOptions) && Object.values(providerOptions).every(isRecord)) {
    return { providerOptions: providerOptions as ProviderOptions };
  }
  throw messagePartError(
    `${path}.providerOptions`,
    `must be options by provider, such as { anthropic: { cacheControl: { type: 'ephemeral' } } }.`,
  );
}

function mediaTypeOf(part: Record<string, unknown>, content: FileContent, path: string): string {
  const type = part['type'] as keyof typeof examples;
  const mediaType = part['mediaType'] || content.mediaType || (type === 'image' ? 'image/*' : undefined);
  if (isMediaType(mediaType)) return mediaType;
  throw messagePartError(
    `${path}.mediaType`,
    mediaType === undefined
      ? `is missing. Say what the ${type} is, such as '${examples[type]}'.`
      : `is ${quoteValue(mediaType)}, which is not a media type. Write one, such as '${examples[type]}'.`,
  );
}
