import { CuelineError } from '../base/errors.ts';

/** The maximum size of a provider's answer, in bytes. */
type BodyLimits = {
  /** Of one line, which is one event of a stream; an image comes in one. Default 32 MiB. */
  lineBytes: number;
  /** Of the whole answer. Default 128 MiB. */
  answerBytes: number;
  /** Of the body of an error. The rest is not read. Default 64 KiB. */
  errorBytes: number;
  /** The maximum time for the body of an error, in milliseconds. Default 5 s. */
  errorMs: number;
};

const bodyLimits: BodyLimits = {
  lineBytes: 32 * 2 ** 20,
  answerBytes: 128 * 2 ** 20,
  errorBytes: 64 * 2 ** 10,
  errorMs: 5_000,
};

const LF = 10;
const CR = 13;

/** The beginning of a stream's last event, in the formats that have one. */
const lastEvents = ['data: [DONE]', 'data:[DONE]', 'event: response.completed', 'event: message_stop'];
const MAX_LINE_START = Math.max(...lastEvents.map(({ length }) => length));

/**
 * Returns a bounded stream of events that ends after its last event, because some servers keep the connection open
 * after it. Errors with `too_large`.
 */
export function boundEvents(
  body: ReadableStream<Uint8Array>,
  { lineBytes, answerBytes }: BodyLimits = bodyLimits,
): ReadableStream<Uint8Array> {
  let inLine = 0;
  let total = 0;
  /** The beginning of the current line. */
  let start = '';
  let isLast = false;

  /** Returns the index in the chunk at which the stream ends. */
  function endIn(chunk: Uint8Array): number | undefined {
    for (let at = 0; at < chunk.length;) {
      const lineEnd = chunk.indexOf(LF, at);
      const stop = lineEnd === -1 ? chunk.length : lineEnd;
      if (start.length < MAX_LINE_START) {
        const more = chunk.subarray(at, Math.min(stop, at + MAX_LINE_START - start.length));
        start += String.fromCharCode(...more);
      }
      inLine += stop - at;
      if (inLine > lineBytes) throw tooLargeError('One event of it', lineBytes);
      if (lineEnd === -1) return undefined;
      const isBlank = inLine === 0 || (inLine === 1 && start.charCodeAt(0) === CR);
      if (isBlank && isLast) return lineEnd + 1;
      isLast ||= lastEvents.some((event) => start.startsWith(event));
      inLine = 0;
      start = '';
      at = lineEnd + 1;
    }
    return undefined;
  }

  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        total += chunk.length;
        if (total > answerBytes) throw tooLargeError('It', answerBytes);
        const end = endIn(chunk);
        if (end === undefined) return controller.enqueue(chunk);
        controller.enqueue(chunk.subarray(0, end));
        controller.terminate();
      },
    }),
  );
}

/** Returns a bounded body of any format. Errors with `too_large`. */
export function boundBody(
  body: ReadableStream<Uint8Array>,
  { answerBytes }: BodyLimits = bodyLimits,
): ReadableStream<Uint8Array> {
  let total = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        total += chunk.length;
        if (total > answerBytes) throw tooLargeError('It', answerBytes);
        controller.enqueue(chunk);
      },
    }),
  );
}

/**
 * Returns the beginning of a body as text. Never rejects: returns what has arrived of a body that is cut off or
 * takes too long.
 */
export async function readFirstBytes(
  response: Response,
  { errorBytes, errorMs }: BodyLimits = bodyLimits,
): Promise<{ text: string; whole: boolean }> {
  const reader = response.body?.getReader();
  if (reader === undefined) return { text: '', whole: true };
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  let whole = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), errorMs);
  });
  try {
    while (bytes < errorBytes) {
      const read = await Promise.race([reader.read(), late]);
      if (read === undefined) break;
      if (read.done) {
        whole = true;
        break;
      }
      const piece = read.value.subarray(0, errorBytes - bytes);
      bytes += piece.length;
      text += decoder.decode(piece, { stream: true });
    }
  } catch {
    // the text so far is the result
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => {});
  }
  return { text, whole };
}

function tooLargeError(what: string, bytes: number): CuelineError {
  return new CuelineError(
    'too_large',
    `The model's answer is too large: ${what.toLowerCase()} is more than ${Math.round(bytes / 2 ** 20)} MiB, so it was cut off. Ask for a shorter answer, or for smaller files.`,
    { details: { bytes } },
  );
}
