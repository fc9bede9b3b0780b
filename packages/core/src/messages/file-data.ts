import type { SharedV4FileData } from '@ai-sdk/provider';
import type { FilePart } from 'ai';
import { isRecord } from '../base/is-record.ts';
import { messagePartError } from '../base/message-part-error.ts';
import { quoteValue } from '../base/quote-value.ts';
import { bytesOf, toBase64 } from '../json/bytes.ts';
import { imageTypeOfData, imageTypeOfUrl } from './media-type.ts';

/**
 * The forms of a file: bytes, base64, a data URL, an http(s) URL, a provider's file id (`'file-…'`, or `{ openai:
 * 'file-…' }`), or a Blob or File, which is read when the run starts.
 */
export type FileSource = FilePart['data'] | Blob;

/** A file as it is sent, with its bytes as base64 or a Blob that is still to be read, and its name and media type. */
export type FileContent = {
  data: SharedV4FileData | Blob;
  mediaType?: string | undefined;
  filename?: string | undefined;
};

/** File ids have a different form at each provider, so the id tells the provider. */
const fileIds: readonly [pattern: RegExp, provider: string][] = [
  [/^file-[A-Za-z0-9]{1,60}$/, 'openai'],
  [/^file_[A-Za-z0-9]{1,60}$/, 'anthropic'],
];

/** Returns the file that `source` stands for. @throws CuelineError `invalid_definition`, with the path */
export function readFile(source: unknown, path: string): FileContent {
  if (typeof source === 'string') return readText(source, path);
  if (source instanceof URL) return readText(source.href, path);
  const bytes = bytesOf(source);
  if (bytes !== undefined) {
    if (bytes.length === 0) throw messagePartError(path, 'has no bytes. Models refuse empty files.');
    return inline(toBase64(bytes));
  }
  if (source instanceof Blob) {
    const filename = 'name' in source && typeof source.name === 'string' ? source.name : undefined;
    return { data: source, mediaType: source.type || undefined, filename };
  }
  if (isRecord(source)) return readTagged(source, path);
  throw messagePartError(
    path,
    `is ${source === undefined ? 'missing' : quoteValue(source)}. Give bytes, base64, a URL or a provider's file id.`,
  );
}

/** True for a string that is a provider's file id. */
export function isFileId(source: unknown): boolean {
  return typeof source === 'string' && providerOf(source) !== undefined;
}

function providerOf(text: string): string | undefined {
  return fileIds.find(([pattern]) => pattern.test(text))?.[1];
}

function readText(text: string, path: string): FileContent {
  if (/^data:/i.test(text)) return readDataUrl(text, path);
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) {
    const url = new URL(text);
    return { data: { type: 'url', url }, mediaType: imageTypeOfUrl(url) };
  }
  const provider = providerOf(text);
  if (provider !== undefined) return { data: { type: 'reference', reference: { [provider]: text } } };
  const base64 = plainBase64(text);
  if (base64 !== undefined) return inline(base64);
  throw messagePartError(
    path,
    `is ${quoteValue(text)}, which is neither base64, a data URL, an http(s) URL nor a provider's file id. Read the file, and give its bytes.`,
  );
}

function readDataUrl(url: string, path: string): FileContent {
  const comma = url.indexOf(',');
  const [mediaType = '', ...parameters] = url.slice('data:'.length, Math.max(comma, 0)).split(';');
  const body = url.slice(comma + 1);
  try {
    const text = body.includes('%') ? decodeURIComponent(body) : body;
    const base64 =
      parameters.at(-1)?.trim() === 'base64'
        ? plainBase64(text)
        : toBase64(new TextEncoder().encode(text)) || undefined;
    if (comma > 0 && base64 !== undefined) {
      return { ...inline(base64), mediaType: mediaType === '' ? 'text/plain' : mediaType };
    }
  } catch {
    // invalid escapes
  }
  throw messagePartError(
    path,
    `is a data URL that cannot be read. Write data:image/png;base64,… or give the bytes.`,
  );
}

/** Reads the AI SDK's own forms like all others, and file ids by provider. */
function readTagged(source: Record<string, unknown>, path: string): FileContent {
  const { type } = source;
  if (type === 'data') return readFile(source['data'], `${path}.data`);
  if (type === 'url') return readFile(source['url'], `${path}.url`);
  if (type === 'text' && typeof source['text'] === 'string') {
    return { data: { type: 'text', text: source['text'] }, mediaType: 'text/plain' };
  }
  const reference = type === 'reference' ? source['reference'] : source;
  const ids = isRecord(reference) ? Object.values(reference) : [];
  if (ids.length > 0 && ids.every((id) => typeof id === 'string' && id !== '')) {
    return { data: { type: 'reference', reference: { ...(reference as Record<string, string>) } } };
  }
  throw messagePartError(
    path,
    `is an object that is not a file. Give bytes, base64, a URL, or file ids by provider, such as { openai: 'file-…' }.`,
  );
}

function inline(base64: string): FileContent {
  return { data: { type: 'data', data: base64 }, mediaType: imageTypeOfData(base64) };
}

/** Returns base64 in its usual alphabet, padded and on one line; undefined for any other text. */
function plainBase64(text: string): string | undefined {
  const digits = text
    .replaceAll(/\s/g, '')
    .replace(/={1,2}$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  if (!/^[A-Za-z0-9+/]+$/.test(digits) || digits.length % 4 === 1) return undefined;
  return digits.padEnd(Math.ceil(digits.length / 4) * 4, '=');
}
