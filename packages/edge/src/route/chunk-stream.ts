import { unrefTimer } from '../base/timer.ts';
import { toServerSentEvents } from '@cueline/core/server';
import { whileRead, type StreamReader } from './streams.ts';

/**
 * How long a client may leave chunks unread, in milliseconds. The chunks hold the whole run, so a client that
 * reads nothing must not keep them forever.
 */
const STALL_MS = 60_000;

/**
 * Returns chunks as Server-Sent Events for the AI SDK's clients, with `[DONE]` at the end. `reader` leaves once no
 * client reads any more, or has read nothing for `stallMs` (default one minute), and the chunks are dropped.
 */
export function toChunkStream(
  chunks: ReadableStream<unknown>,
  reader: StreamReader,
  stallMs: number = STALL_MS,
): ReadableStream<Uint8Array> {
  return toServerSentEvents(
    whileRead(itemsOf(chunks, stallMs, reader.leave), reader),
    (chunk) => `data: ${JSON.stringify(chunk)}\n\n`,
    { end: 'data: [DONE]\n\n' },
  );
}

/** Iterates by hand, because a stream's own iterator answers `return` only after the next chunk. */
function itemsOf(
  chunks: ReadableStream<unknown>,
  stallMs: number,
  onStall: () => void,
): AsyncIterable<unknown> {
  /** Dropped at the end. Nothing else here may refer to them. */
  let reader: ReadableStreamDefaultReader<unknown> | undefined = chunks.getReader();
  return {
    [Symbol.asyncIterator]() {
      let unreadSince: number | undefined = performance.now();
      const dropChunks = (): void => {
        clearInterval(timer);
        reader?.cancel().catch(() => {});
        reader = undefined;
      };
      const timer = setInterval(() => {
        if (unreadSince === undefined || performance.now() - unreadSince < stallMs) return;
        dropChunks();
        onStall();
      }, stallMs / 4);
      unrefTimer(timer);
      return {
        async next() {
          if (reader === undefined)
            throw new Error('The client did not read the answer for too long. Reattach to continue.');
          unreadSince = undefined;
          const { done, value } = await reader.read();
          unreadSince = performance.now();
          if (!done) return { done, value };
          dropChunks();
          return { done, value: undefined };
        },
        return() {
          dropChunks();
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  };
}
