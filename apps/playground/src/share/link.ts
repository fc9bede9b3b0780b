import { CuelineError, type RunEvent } from '@cueline/core';
import { decodeLink, encodeLink, LINK_BYTES, type LinkPayload } from '@cueline/core/link';
import { formatSize } from '../transcript/format.ts';

/** From here on some chat tools cut a link, in characters. */
export const LONG_LINK = 4_000;
/** From here on a file is the better way, in characters. */
export const TOO_LONG_LINK = 8_000;

export type ShareLink =
  | { url: string; size: number; advice: 'fine' | 'long' | 'too-long' }
  | { url: undefined; problem: string };

/** The link that carries a script, and perhaps a run, and whether its size is wise. `page` is the address without its hash. */
export function makeShareLink(payload: LinkPayload, page: string): ShareLink {
  try {
    const url = page + encodeLink(payload);
    const size = url.length;
    return { url, size, advice: size > TOO_LONG_LINK ? 'too-long' : size > LONG_LINK ? 'long' : 'fine' };
  } catch (error) {
    if (payload.log === undefined || !isTooLarge(error)) return { url: undefined, problem: messageOf(error) };
    const size = formatSize(JSON.stringify(payload).length);
    const problem = `This run is ${size} of text, and ${formatSize(LINK_BYTES)} can be shared. Share the script alone.`;
    return { url: undefined, problem };
  }
}

/** The link to what is kept in the page's store under this id. */
export function makeShortLink(id: string, page: string): string {
  return `${page}${SHORT}${id}`;
}

/** What a hash amounts to: nothing to open, what the link holds, where to get it, or why it was not opened. */
export type OpenedLink =
  | { kind: 'none' }
  | { kind: 'script'; script: string }
  /** The log is as somebody wrote it: see `checkLog`. */
  | { kind: 'run'; script: string; log: readonly RunEvent[] }
  | { kind: 'short'; id: string }
  | { kind: 'refused'; message: string };

/** Said after every reason for which a link was not opened. */
export const AS_IT_WAS = 'Your script is as it was.';

const SHORT = '#s=';

/** Reads a link's hash. Nothing but a script and a run is ever taken from it: where a run is got from is the page's to say. */
export function readLink(hash: string): OpenedLink {
  if (hash === '' || hash === '#') return { kind: 'none' };
  if (hash.startsWith(SHORT)) {
    const id = hash.slice(SHORT.length);
    // as the store makes them: anything else never gets into an address
    if (/^[\w-]{21}[AQgw]$/.test(id)) return { kind: 'short', id };
    return refused('This link is cut off: its end is missing or changed. Ask for it again.');
  }
  try {
    const { script, log } = decodeLink(hash);
    if (script === undefined) return refused('This link holds no script.');
    return log === undefined ? { kind: 'script', script } : { kind: 'run', script, log };
  } catch (error) {
    return refused(messageOf(error));
  }
}

function refused(message: string): OpenedLink {
  return { kind: 'refused', message: `${message} ${AS_IT_WAS}` };
}

function isTooLarge(error: unknown): boolean {
  return CuelineError.isInstance(error) && error.code === 'too_large';
}

function messageOf(error: unknown): string {
  if (CuelineError.isInstance(error)) return error.message;
  return 'This link could not be read. Ask for it again.';
}
