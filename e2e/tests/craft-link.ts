import { deflateRawSync } from 'node:zlib';

/** The hash of a link with any content, as anyone could make it. */
export function craftLink(content: unknown): string {
  const body = deflateRawSync(JSON.stringify(content)).toString('base64url');
  let hash = 0x811c9dc5;
  for (const char of body) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
  return `#v1.sr.${body}.${body.length.toString(36)}-${(hash >>> 0).toString(36)}`;
}
