import { isPlain } from './copy-plain.ts';

/** Returns bytes as base64. In JSON, which logs and links consist of, each byte would be a number. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  // in slices, because a call takes a limited number of arguments
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return btoa(text);
}

/** The opposite of {@link toBase64}. Throws for text that is not base64. */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/** Returns the bytes of a buffer or of a view; undefined for anything else. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  // an object of another realm is not an instance of this realm's classes
  const isBuffer = Object.prototype.toString.call(value) === '[object ArrayBuffer]';
  return isBuffer ? new Uint8Array(value as ArrayBuffer) : undefined;
}

/**
 * Returns a value as JSON, with bytes as `writeBytes` returns them; undefined for a value that JSON cannot hold. Throws
 * for a cycle. `check` may throw for any other member; without it, a bigint is written as text.
 */
export function stringifyJson(
  value: unknown,
  writeBytes: (bytes: Uint8Array) => string = mentionBytes,
  check?: (key: string, member: unknown) => void,
): string | undefined {
  // a function that looks at each member takes several times as long
  if (check === undefined && isPlainJson(value)) return JSON.stringify(value);
  return JSON.stringify(value, function (this: Record<string, unknown>, key, child: unknown) {
    // some buffers have a toJSON, and are lists of numbers by now
    const bytes = bytesOf(this[key]);
    if (bytes !== undefined) return writeBytes(bytes);
    check?.(key, child);
    return check === undefined && typeof child === 'bigint' ? String(child) : child;
  });
}

/** True if the value consists of lists, plain objects and what JSON can hold. False if it is nested very deep. */
function isPlainJson(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null)
    return typeof value !== 'bigint' && typeof value !== 'function';
  if (depth > 100) return false;
  if (Array.isArray(value)) return value.every((item) => isPlainJson(item, depth + 1));
  return isPlain(value) && Object.values(value).every((item) => isPlainJson(item, depth + 1));
}

/** Returns the note that replaces bytes, which would have a member for each byte. */
export function mentionBytes(bytes: Uint8Array): string {
  return `[${bytes.length} bytes]`;
}
