import { CuelineError } from '@cueline/core';
import { decodeLink, encodeLink } from '@cueline/core/link';

/** From here on some chat tools cut a link, in characters. */
export const LONG_LINK = 4_000;
/** From here on a file is the better way, in characters. */
export const TOO_LONG_LINK = 8_000;

export type ShareLink =
  | { url: string; size: number; advice: 'fine' | 'long' | 'too-long' }
  | { url: undefined; problem: string };

/** The link that carries a script, and whether its size is wise. `page` is the address without its hash. */
export function makeShareLink(script: string, page: string): ShareLink {
  try {
    const url = page + encodeLink({ script });
    const size = url.length;
    return { url, size, advice: size > TOO_LONG_LINK ? 'too-long' : size > LONG_LINK ? 'long' : 'fine' };
  } catch (error) {
    return { url: undefined, problem: messageOf(error) };
  }
}

/** What a hash amounts to: nothing to open, a script, or a sentence about why it was not opened. */
export type OpenedLink =
  | { kind: 'none' }
  | { kind: 'script'; script: string }
  | { kind: 'refused'; message: string };

/** Reads a link's hash. Nothing but the script is ever taken from it. */
export function readLink(hash: string): OpenedLink {
  if (hash === '' || hash === '#') return { kind: 'none' };
  try {
    const { script } = decodeLink(hash);
    if (script !== undefined) return { kind: 'script', script };
    return { kind: 'refused', message: 'This link holds no script. Your script is as it was.' };
  } catch (error) {
    return { kind: 'refused', message: `${messageOf(error)} Your script is as it was.` };
  }
}

function messageOf(error: unknown): string {
  if (CuelineError.isInstance(error)) return error.message;
  return 'This link could not be read. Ask for it again.';
}
