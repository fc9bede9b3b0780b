/** What the endings of image files stand for. */
const imageEndings: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['svg', 'image/svg+xml'],
]);

/** How images begin, as base64 writes it. In AVIF and WebP, a length stands before the name. */
const imageSignatures: readonly [pattern: RegExp, mediaType: string][] = [
  [/^iVBORw0KGgo/, 'image/png'],
  [/^\/9j\//, 'image/jpeg'],
  [/^R0lGOD/, 'image/gif'],
  [/^UklGR.{7}RUJQ/, 'image/webp'],
  [/^AAAA.[GWm2]Z0eXBhdmlm/, 'image/avif'],
];

/** The media type of the image that a URL names, by its ending or by what a data URL says; undefined for anything else. */
export function imageTypeOfUrl(url: URL): string | undefined {
  if (url.protocol === 'data:') return /^image\/[^;,]+/i.exec(url.pathname)?.[0];
  return imageEndings.get(/\.([a-z]+)$/i.exec(url.pathname)?.[1]?.toLowerCase() ?? '');
}

/** The media type of an image by its first bytes; undefined where they are not known. */
export function imageTypeOfData(base64: string): string | undefined {
  return imageSignatures.find(([pattern]) => pattern.test(base64))?.[1];
}

/** True for `type/subtype`, and for the kinds that the AI SDK takes on their own. */
export function isMediaType(value: unknown): value is string {
  return typeof value === 'string' && /^(?:[a-z]+\/\S|(?:image|audio|video|text)$)/i.test(value);
}
