import { CuelineError, type RunEvent } from '@cueline/core';
import { decodeLink, encodeLink, LINK_BYTES, type LinkPayload } from '@cueline/core/link';
import { MAX_LINKED_TEXT_LENGTH } from '../prompts/linked-text.ts';
import { formatSize } from '../ui/format.ts';

/** The length from which some chat tools cut a link, in characters. */
export const LONG_LINK = 4_000;
/** The length from which a file is the better way, in characters. */
export const TOO_LONG_LINK = 8_000;

export type ShareLink =
  | { url: string; size: number; advice: 'fine' | 'long' | 'too-long' }
  | { url: undefined; problem: string };

/**
 * A link with a script, and perhaps a run, and whether its length is safe. `page` is the address without its hash.
 */
export function makeShareLink(payload: LinkPayload, page: string): ShareLink {
  if (hasLongText([payload.prompts, payload.evaluation])) {
    const most = MAX_LINKED_TEXT_LENGTH.toLocaleString('en');
    return {
      url: undefined,
      problem: `A text here has more than ${most} characters, too many for a link. Shorten it, or save a file instead.`,
    };
  }
  try {
    const url = page + encodeLink(payload);
    const size = url.length;
    return { url, size, advice: size > TOO_LONG_LINK ? 'too-long' : size > LONG_LINK ? 'long' : 'fine' };
  } catch (error) {
    if (payload.log === undefined || !isTooLarge(error)) return { url: undefined, problem: messageOf(error) };
    const size = formatSize(JSON.stringify(payload).length);
    const problem = `This run has ${size} of text, and at most ${formatSize(LINK_BYTES)} can be shared. Share the script alone.`;
    return { url: undefined, problem };
  }
}

/** True if a text in this JSON is too long for a link. */
function hasLongText(value: unknown): boolean {
  if (typeof value === 'string') return value.length > MAX_LINKED_TEXT_LENGTH;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLongText);
}

/** The link to the share with this id in the page's store. */
export function makeShortLink(id: string, page: string): string {
  return `${page}${SHORT}${id}`;
}

/**
 * The meaning of a hash: nothing to open, the content of the link, where to get it, or why the page did not open it.
 */
export type OpenedLink =
  | { kind: 'none' }
  | { kind: 'script'; script: string }
  /** The log is unchecked: see `problemOfLog`. */
  | { kind: 'run'; script: string; log: readonly RunEvent[] }
  /** Both are unchecked: see `open-prompts.ts`. */
  | { kind: 'prompts'; prompts: unknown; log: readonly RunEvent[] | undefined }
  | { kind: 'evaluation'; prompts: unknown; evaluation: unknown }
  | { kind: 'short'; id: string }
  | { kind: 'refused'; message: string };

const SHORT = '#s=';

/**
 * Reads a link's hash. A link supplies only a script or prompts, a run and an evaluation. The page itself decides where
 * it fetches a run from.
 */
export function readLink(hash: string): OpenedLink {
  if (hash === '' || hash === '#') return { kind: 'none' };
  if (hash.startsWith(SHORT)) {
    const id = hash.slice(SHORT.length);
    // the store's own format of ids: no other text gets into an address
    if (/^[\w-]{21}[AQgw]$/.test(id)) return { kind: 'short', id };
    const message = 'This link is cut off: its end is missing or changed. Ask for it again.';
    return { kind: 'refused', message };
  }
  try {
    const { script, log, prompts, evaluation } = decodeLink(hash);
    if (evaluation !== undefined) return { kind: 'evaluation', prompts, evaluation };
    if (prompts !== undefined) return { kind: 'prompts', prompts, log };
    if (script === undefined) return { kind: 'refused', message: 'This link contains no script.' };
    return log === undefined ? { kind: 'script', script } : { kind: 'run', script, log };
  } catch (error) {
    return { kind: 'refused', message: messageOf(error) };
  }
}

function isTooLarge(error: unknown): boolean {
  return CuelineError.isInstance(error) && error.code === 'too_large';
}

function messageOf(error: unknown): string {
  if (CuelineError.isInstance(error)) return error.message;
  return 'This link could not be read. Ask for it again.';
}
