import { CuelineError } from '@cueline/core';
import { decodeLink, encodeLink } from '@cueline/core/link';
import { HttpError } from '../http/respond.ts';

/**
 * The bytes to keep of a body: what {@link encodeLink} makes of its content. Everything else in it is dropped,
 * so that a store carries what links carry and no other files. Throws an {@link HttpError}: 400 or 413.
 */
export function readShare(body: Uint8Array): Uint8Array {
  const text = new TextDecoder('latin1').decode(body);
  // only letters of a link: the bytes checked below are then exactly those that are stored
  if (!/^v\d+\.[a-z]+\.[\w-]+\.[\w-]+$/.test(text)) throw invalidShareError();
  try {
    const payload = decodeLink(`#${text}`);
    if (payload.log !== undefined && payload.log[0]?.type !== 'run-start') throw invalidShareError();
    const link = encodeLink(payload);
    return new TextEncoder().encode(link.slice(1));
  } catch (error) {
    if (CuelineError.isInstance(error) && error.code === 'too_large') {
      throw new HttpError(
        'too_large',
        'The share is too large once it is decompressed. Share less, or send a file.',
      );
    }
    throw invalidShareError();
  }
}

function invalidShareError(): HttpError {
  return new HttpError(
    'invalid_body',
    'The body is not a share. Send what encodeLink() returned, without its #.',
  );
}
