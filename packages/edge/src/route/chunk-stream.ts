import { toServerSentEvents } from '@cueline/core/server';
import { whileRead, type StreamReader } from './streams.ts';

/** Returns chunks as Server-Sent Events for the AI SDK's clients, with `[DONE]` at the end. See {@link whileRead}. */
export function toChunkStream(
  chunks: ReadableStream<unknown>,
  reader: StreamReader,
  stallMs?: number,
): ReadableStream<Uint8Array> {
  return toServerSentEvents(
    whileRead(itemsOf(chunks), reader, stallMs),
    (chunk) => `data: ${JSON.stringify(chunk)}\n\n`,
    { end: 'data: [DONE]\n\n' },
  );
}

/** Iterates by hand, because a stream's own iterator answers `return` only after the next chunk. */
function itemsOf(chunks: ReadableStream<unknown>): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]() {
      const reader = chunks.getReader();
      return {
        async next() {
          const { done, value } = await reader.read();
          return done ? { done, value: undefined } : { done, value };
        },
        return() {
          reader.cancel().catch(() => {});
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  };
}
