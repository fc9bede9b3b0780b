/** The media types of image file extensions. */
const imageEndings: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['svg', 'image/svg+xml'],
]);

/** The first characters of images in base64. In AVIF and WebP, a length precedes the name. */
const imageSignatures: readonly [pattern: RegExp, mediaType: string][] = [
  [/^iVBORw0KGgo/, 'image/png'],
  [/^\/9j\//, 'image/jpeg'],
  [/^R0lGOD/, 'image/gif'],
  [/^UklGR.{7}RUJQ/, 'image/webp'],
  [/^AAAA.[GWm2]Z0eXBhdmlm/, 'image/avif'],
];

/** Returns the media type of the image at a URL, by its extension or by its data URL; undefined for anything else. */
export function imageTypeOfUrl(url: URL): string | undefined {
  if (url.protocol === 'data:') return /^image\/[^;,]+/i.exec(url.pathname)?.[0];
  return imageEndings.get(/\.([a-z]+)$/i.exec(url.pathname)?.[1]?.toLowerCase() ?? '');
}

/** Returns the media type of an image by its first bytes; undefined if they are unknown. */
export function imageTypeOfData(base64: string): string | undefined {
  return imageSignatures.find(([pattern]) => pattern.test(base64))?.[1];
}

/** True for `type/subtype`, and for the types without a subtype that the AI SDK accepts. */
export function isMediaType(value: unknown): value is string {
  return typeof value === 'string' && /^(?:[a-z]+\/\S|(?:image|audio|video|text)$)/i.test(value);
}
