import { switchedOff } from '../limits/kill-switch.ts';
import type { CutOff } from './call-provider.ts';
import { createEventSplitter, type EventBytes } from './split-events.ts';
import { createPausableTimeout } from './timeouts.ts';

/** Why a stream ended early. */
export type StreamFault = 'timeout' | 'unavailable' | 'idle' | 'too_large' | 'event_too_large' | 'broken';

/** How a stream ended. */
export type StreamEnd = 'done' | 'aborted' | StreamFault;

/** Callbacks and bounds of a forwarded stream. */
export type ForwardOptions = {
  responseBytes: number;
  eventBytes: number;
  idleMs: number;
  /** Aborted with a {@link CutOff} as its reason. */
  signal: AbortSignal;
  /**
   * Sees all events, and returns whether `onEvent` must see them one by one. If not, they are forwarded unchanged.
   */
  look(events: string): boolean;
  /** Returns the event to forward; undefined drops it. Called in order. */
  onEvent(event: string): string | undefined;
  /**
   * Called once. The stream closes when the promise resolves, so that a runtime does not stop the settlement halfway.
   */
  onEnd(end: StreamEnd, bytes: number): Promise<void>;
};

const messages: Record<StreamFault, string> = {
  timeout: 'The answer took longer than this server allows. Ask for a shorter answer.',
  unavailable: switchedOff,
  idle: 'The model stopped sending in the middle of its answer.',
  too_large: 'The answer is larger than this server forwards.',
  event_too_large: 'An event of the answer is larger than this server forwards.',
  broken: 'The model stopped in the middle of its answer.',
};

/** How a stream ends that was cut off. Only a caller who is still there reads why. */
const cutOffEnds: Record<CutOff, 'aborted' | StreamFault> = {
  client: 'aborted',
  timeout: 'timeout',
  switch: 'unavailable',
};

/** The event after which some clients stop reading: that of Anthropic, and that of Chat Completions. */
const lastEvent = /^(?:event: ?message_stop|data: ?\[DONE\])/m;

/** How many bytes of an event say whether it is the last one. */
const BEGINNING_BYTES = 64;

/** How long a provider may take to end its response after that, in ms. */
const DRAIN_MS = 1_000;

// Neither keeps state between calls.
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/**
 * The provider's events, complete ones only, read when the caller asks for more: only the incomplete event is buffered.
 * A fault ends the stream with one `proxy-error` event.
 */
export function forwardEvents(
  body: ReadableStream<Uint8Array>,
  options: ForwardOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const splitter = createEventSplitter(options.eventBytes);
  const silence = createPausableTimeout(options.idleMs, () => void close('idle'));
  let bytes = 0;
  let ended = false;
  /** True if the caller has the last event. */
  let isWhole = false;
  let output: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;

  function end(how: StreamEnd): Promise<void> {
    ended = true;
    silence.stop();
    options.signal.removeEventListener('abort', aborted);
    if (how !== 'done') reader.cancel().catch(() => {});
    return options.onEnd(how, bytes);
  }

  async function close(how: StreamEnd): Promise<void> {
    if (ended) return;
    if (how !== 'done' && how !== 'aborted') {
      output.enqueue(encoder.encode(proxyError(how, messages[how])));
    }
    await end(how);
    try {
      output.close();
    } catch {
      // cancelled while we waited
    }
  }

  function aborted(): void {
    void close(leave(cutOffEnds[options.signal.reason as CutOff]));
  }

  /** A caller who has the last event has the whole answer. */
  function leave(how: 'aborted' | StreamFault): StreamEnd {
    return how === 'aborted' && isWhole ? 'done' : how;
  }

  function pass({ bytes, ends }: EventBytes): boolean {
    if (ends.length === 0) return false;
    // most events are a word or two of text: scanning many at once, without encoding them again, halves the cost
    const text = decoder.decode(bytes);
    const last = ends.at(-2) ?? 0;
    // not the text itself, which would stay in memory until the next one
    isWhole = lastEvent.test(decoder.decode(bytes.subarray(last, last + BEGINNING_BYTES)));
    if (!options.look(text)) {
      output.enqueue(bytes);
      return true;
    }
    const events = ends.map((end, index) => decoder.decode(bytes.subarray(ends[index - 1] ?? 0, end)));
    const read = events.map((event) => options.onEvent(event) ?? '').join('');
    if (read !== '') output.enqueue(encoder.encode(read));
    return read !== '';
  }

  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        output = controller;
        options.signal.addEventListener('abort', aborted);
        if (options.signal.aborted) aborted();
      },
      async pull() {
        for (;;) {
          silence.begin();
          const read = await reader.read().catch(() => undefined);
          silence.end();
          // it may have ended while we waited
          if (ended) return;
          if (read === undefined) return close('broken');
          if (read.done) {
            pass(splitter.rest());
            return close('done');
          }
          bytes += read.value.byteLength;
          if (bytes > options.responseBytes) return close('too_large');
          const events = splitter.push(read.value);
          if (events === undefined) return close('event_too_large');
          if (pass(events)) return;
        }
      },
      cancel() {
        if (ended) return undefined;
        if (isWhole) void drain(reader);
        return end(leave('aborted'));
      },
    },
    { highWaterMark: 0 },
  );
}

/** Reads the end of a response, because the connection to the provider can be reused only then. */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), DRAIN_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // nothing of the answer is missing
  }
  clearTimeout(timer);
}

/** An event that clients of OpenAI, Anthropic and compatible servers all read as an error. */
function proxyError(code: string, message: string): string {
  const error = { type: 'proxy_error', code, message, param: null };
  return `event: proxy-error\ndata: ${JSON.stringify({ type: 'error', sequence_number: 0, error })}\n\n`;
}
