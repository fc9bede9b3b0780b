import { deflateSync, Inflate, strFromU8, strToU8 } from 'fflate';
import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { fromBase64, toBase64 } from '../json/bytes.ts';
import { parseJson } from '../json/parse-json.ts';
import { LOG_VERSION, type RunEvent } from '../log/events.ts';
import { createUpgrade } from '../log/upgrade-log.ts';
import { isRunEvent } from './check-event.ts';
import { checkIsLog } from './check-is-log.ts';
import { createEventCounter, createServerEventCounter, isEventType } from './event-limits.ts';

/** What a link can carry. A link never carries a key, an address or a setting, and sets nothing. */
export type LinkPayload = {
  script?: string;
  log?: readonly RunEvent[];
  /** Prompts as a prompt file has them. Decoded, it is any JSON: check it with `createPromptLibrary`. */
  prompts?: unknown;
  /** An evaluation with its cases and results. Decoded, it is any JSON: check it. */
  evaluation?: unknown;
};

/** The maximum size of a link's JSON after inflating, in bytes. */
export const LINK_BYTES = 1_000_000;

/**
 * How much of a link is inflated at once, in bytes. A piece inflates to about a thousand times its length at most.
 * fflate allocates at least 160 kB for each piece, so short pieces are slow.
 */
const PIECE_BYTES = 8_192;

const VERSION = 'v1';
/** One letter for each field, so that a reader knows what the link carries without inflating it. */
const flagOf = { script: 's', log: 'r', prompts: 'p', evaluation: 'e' } as const;

/**
 * Returns the hash of a link: `#v1.<flags>.<payload>.<length and checksum>`. The payload is JSON, deflated, in
 * base64url. The checksum distinguishes a link that a chat tool has truncated from a complete one.
 */
export function encodeLink(payload: LinkPayload): string {
  checkNames('encodeLink', payload ?? null, Object.keys(flagOf), 'invalid_options');
  if (payload.log !== undefined) checkIsLog('encodeLink({ log })', payload.log);
  const content = {
    ...(payload.script === undefined ? {} : { script: payload.script }),
    ...(payload.log === undefined ? {} : { log: payload.log }),
    ...(payload.prompts === undefined ? {} : { prompts: payload.prompts }),
    ...(payload.evaluation === undefined ? {} : { evaluation: payload.evaluation }),
  };
  const flags = (Object.keys(content) as (keyof typeof flagOf)[]).map((key) => flagOf[key]).join('');
  if (flags === '')
    throw new CuelineError(
      'invalid_options',
      'A link needs something to carry: a script, a log, prompts or an evaluation.',
    );
  const json = strToU8(JSON.stringify(content));
  if (json.length > LINK_BYTES) {
    throw new CuelineError(
      'too_large',
      `This is ${Math.round(json.length / 1000)} KB of text; a link can carry ${LINK_BYTES / 1000} KB. Save it as a file instead.`,
    );
  }
  const base64 = toBase64(deflateSync(json, { level: 9 }));
  const body = base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `#${VERSION}.${flags}.${body}.${body.length.toString(36)}-${checksum(body)}`;
}

/**
 * Returns what {@link encodeLink} was given.
 * @throws CuelineError `link_foreign` (a hash of another program, or a newer version), `link_cut_off`, `too_large`
 */
export function decodeLink(hash: string | null): LinkPayload {
  const [version, flags, body, seal, ...rest] = (hash ?? '').replace(/^#/, '').trim().split('.');
  if (version === undefined || !/^v\d+$/.test(version)) {
    throw new CuelineError('link_foreign', 'This link was not made by Cueline: it should begin with #v1.');
  }
  if (version !== VERSION) {
    throw new CuelineError(
      'link_foreign',
      `This link has format ${version}; this page reads ${VERSION}. Reload the page to get its newest version, and open the link again.`,
    );
  }
  const [length, sum] = seal?.split('-') ?? [];
  if (
    flags === undefined ||
    body === undefined ||
    length === undefined ||
    sum === undefined ||
    rest.length > 0
  ) {
    throw truncatedLinkError();
  }
  if (parseInt(length, 36) !== body.length || checksum(body) !== sum) throw truncatedLinkError();
  return readPayload(inflate(body));
}

/**
 * Returns a log as text for storage: lossless JSON.
 * @throws CuelineError `invalid_options` for anything but a list
 */
export function encodeLog(events: readonly RunEvent[]): string {
  checkIsLog('encodeLog', events);
  return JSON.stringify({ v: LOG_VERSION, events });
}

/**
 * Reads the log that {@link encodeLog} wrote, in this or an earlier version. Each event may be as large as a run's
 * own may be: up to 17,000,000 characters, 1,000,000 values and 1,100 levels. Check the length of a text from outside
 * first.
 * @throws CuelineError `link_foreign` if the text is not a log, or if a newer version wrote it, `too_large` if it has
 * more events than a run may hold, or a larger one
 */
export function decodeLog(text: string): RunEvent[] {
  const value = parseJson(text) as { v?: unknown; events?: unknown } | undefined;
  if (isNewer(value?.v)) throw newerLogError(`version ${value.v}`);
  if (value?.v !== LOG_VERSION && value?.v !== 1) {
    throw new CuelineError(
      'link_foreign',
      `This text is not a Cueline log of version 1 to ${LOG_VERSION}. Pass text that encodeLog returned.`,
    );
  }
  return checkEvents(value.events, createServerEventCounter());
}

function readPayload(json: string): LinkPayload {
  const value = parseJson(json) as { [Key in keyof LinkPayload]: unknown } | undefined;
  if (typeof value !== 'object' || value === null) throw unreadableLinkError();
  const { script, log, prompts, evaluation } = value;
  if (script !== undefined && typeof script !== 'string') throw unreadableLinkError();
  return {
    ...(script === undefined ? {} : { script }),
    ...(log === undefined ? {} : { log: checkEvents(log, createEventCounter()) }),
    ...(prompts === undefined ? {} : { prompts }),
    ...(evaluation === undefined ? {} : { evaluation }),
  };
}

/** Checks each event of a log and the size of the log. Returns it in the current version. */
function checkEvents(value: unknown, countEvent: (event: unknown) => string | undefined): RunEvent[] {
  if (!Array.isArray(value)) throw unreadableLinkError();
  const upgrade = createUpgrade();
  return (value as unknown[]).map((entry, index) => {
    const event: unknown = upgrade(entry as RunEvent);
    if (!isRecord(event) || event['seq'] !== index) throw damagedLogError(index);
    if (event['type'] === 'run-start' && isNewer(event['v'])) throw newerLogError(`version ${event['v']}`);
    if (typeof event['type'] === 'string' && !isEventType(event['type'])) {
      throw newerLogError('events of an unknown type');
    }
    // measured first, so that reading the event is bounded
    const excess = countEvent(event);
    if (excess !== undefined) {
      throw new CuelineError(
        'too_large',
        `This log has ${excess} and was not opened. Ask for a shorter run.`,
      );
    }
    if (!isRunEvent(event)) throw damagedLogError(index);
    return event;
  });
}

function inflate(body: string): string {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const inflater = new Inflate((piece) => {
    size += piece.length;
    if (size > LINK_BYTES) {
      throw new CuelineError(
        'too_large',
        `This link unpacks to more than ${LINK_BYTES / 1000} KB and was not opened. Ask for its content as a file.`,
      );
    }
    pieces.push(piece);
  });
  const bytes = fromBase64Url(body);
  try {
    // in pieces, so that a link that inflates endlessly is refused early
    for (let offset = 0; offset < bytes.length; offset += PIECE_BYTES) {
      const end = offset + PIECE_BYTES;
      inflater.push(bytes.subarray(offset, end), end >= bytes.length);
    }
  } catch (error) {
    if (CuelineError.isInstance(error)) throw error;
    throw unreadableLinkError(error);
  }
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return strFromU8(whole);
}

/**
 * FNV-1a, 32 bits. It detects a truncated link or a changed letter. It protects against accidents, not against
 * attackers.
 */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}

function fromBase64Url(text: string): Uint8Array {
  try {
    return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch (error) {
    throw unreadableLinkError(error);
  }
}

function truncatedLinkError(): CuelineError {
  return new CuelineError(
    'link_cut_off',
    'This link is cut off: its end is missing or changed. Ask for it again, or for a file; some chat tools shorten long links.',
  );
}

function isNewer(version: unknown): version is number {
  return typeof version === 'number' && version > LOG_VERSION;
}

function newerLogError(what: string): CuelineError {
  return new CuelineError(
    'link_foreign',
    `This run was recorded by a newer Cueline: it has ${what}, and this page reads versions 1 to ${LOG_VERSION}. ` +
      'Reload the page to get the newest version, or update @cueline/core.',
  );
}

function damagedLogError(index: number): CuelineError {
  return new CuelineError(
    'link_foreign',
    `The run in this link or file is damaged: its event ${index + 1} cannot be read. Ask for it again.`,
  );
}

function unreadableLinkError(cause?: unknown): CuelineError {
  return new CuelineError('link_foreign', 'This link was not made by Cueline, or it is damaged.', { cause });
}
