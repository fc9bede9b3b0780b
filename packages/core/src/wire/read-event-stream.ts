import { createParser } from 'eventsource-parser';
import { CuelineError } from '../base/errors.ts';
import { shorten } from '../base/quote-value.ts';
import { startTimer } from '../base/timer.ts';
import { LOG_VERSION, type RunEvent } from '../log/events.ts';
import { createUpgrade } from '../log/upgrade-log.ts';
import { isServerEvent } from './check-event.ts';
import { createServerEventCounter, isEventType } from './event-limits.ts';

/** The maximum size of one event, in characters of JSON. */
const MAX_EVENT_LENGTH = 16 * 1024 * 1024;
/** Room in the parser's buffer for the field names around an event. */
const ROOM_FOR_FIELDS = 1024;

export type ReadEventStreamOptions = {
  /** How long the connection may be silent before it counts as broken, in milliseconds. Default: no limit. */
  idleMs?: number | undefined;
  /** Counts the events of a run that come over several connections. Default: the events of this one are counted. */
  count?: (event: RunEvent) => string | undefined;
};

/**
 * Reads the events that `toEventStream` wrote, however their bytes were split. Skips comments and events with other
 * names. Returning from the iteration cancels `body` at once.
 * @throws CuelineError `stream_truncated` if the connection breaks, `timeout` after `idleMs`, `stream_malformed` for
 * anything that is not an event, `too_large` for an event above 16 MB and for more events than a run may hold. The
 * stream may also end without a `run-end`.
 */
export function readEventStream(
  body: ReadableStream<Uint8Array>,
  { idleMs = Infinity, count = createServerEventCounter() }: ReadEventStreamOptions = {},
): AsyncIterator<RunEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let events: RunEvent[] = [];
  let index = 0;
  let failure: CuelineError | undefined;
  let done = false;
  const upgrade = createUpgrade();
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH + ROOM_FOR_FIELDS,
    onEvent({ event, data }) {
      if (failure !== undefined || (event !== undefined && event !== 'message')) return;
      try {
        const event = parseEvent(data, upgrade);
        const excess = count(event);
        if (excess !== undefined) throw tooManyEventsError(excess);
        events.push(event);
      } catch (error) {
        failure = error as CuelineError;
      }
    },
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') failure ??= tooLargeError();
    },
  });

  async function read(): Promise<void> {
    events = [];
    index = 0;
    const timer = startTimer(() => {
      failure = new CuelineError('timeout', `Nothing came over the connection for ${idleMs / 1000} s.`);
      release();
    }, idleMs);
    try {
      const { done: ended, value } = await reader.read();
      if (ended) done = true;
      else parser.feed(decoder.decode(value, { stream: true }));
    } catch (error) {
      failure ??= new CuelineError(
        'stream_truncated',
        'The connection was lost while events were arriving.',
        {
          cause: error,
        },
      );
    } finally {
      clearTimeout(timer);
    }
  }

  function release(): void {
    done = true;
    // a stream that has failed cannot be cancelled and need not be
    reader.cancel().catch(() => {});
  }

  return {
    async next() {
      for (;;) {
        if (index < events.length) return { done: false, value: events[index++]! };
        if (failure !== undefined) {
          release();
          const thrown = failure;
          failure = undefined;
          throw thrown;
        }
        if (done) return { done: true, value: undefined };
        await read();
      }
    },
    // by hand, because a generator queues this behind a pending `next`
    return() {
      events = [];
      failure = undefined;
      release();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}

/** Returns the event in the current version. */
function parseEvent(data: string, upgrade: (event: RunEvent) => RunEvent): RunEvent {
  if (data.length > MAX_EVENT_LENGTH) throw tooLargeError();
  let value: unknown;
  try {
    value = JSON.parse(data) as unknown;
  } catch (error) {
    throw malformedError('something that is not JSON', data, error);
  }
  const event = upgrade(value as RunEvent);
  if (isServerEvent(event)) return event;
  const { type, v } = (event ?? {}) as { type?: unknown; v?: unknown };
  if (type === 'run-start' && v !== LOG_VERSION) {
    throw new CuelineError(
      'stream_malformed',
      `The other side sends version ${String(v)} of the events, but this side reads version ${LOG_VERSION}. Reload the page, or bring both to the same version of @cueline/core.`,
    );
  }
  if (!isEventType(type)) throw malformedError('something that is not an event', data);
  throw new CuelineError(
    'stream_malformed',
    `The other side sent a "${type}" event whose fields are missing or have other types than this version reads: ${shorten(data, 80)} Bring both sides to the same version of @cueline/core, and reload the page.`,
  );
}

function malformedError(what: string, data: string, cause?: unknown): CuelineError {
  return new CuelineError(
    'stream_malformed',
    `The stream of events contains ${what}: ${shorten(data, 80)} Check that the URL is that of a prompt route.`,
    { cause },
  );
}

function tooManyEventsError(excess: string): CuelineError {
  return new CuelineError(
    'too_large',
    `The connection sent ${excess}, which is more than a run may hold. The rest was not read. Lower the options.limits of the run.`,
  );
}

function tooLargeError(): CuelineError {
  return new CuelineError(
    'too_large',
    'The connection sent an event of more than 16 MB, which was not read. Return less from tools.',
  );
}
