import { toServerSentEvents } from '@cueline/core/server';
import { whileRead } from './streams.ts';

/**
 * Chunks as the AI SDK's clients read them: Server-Sent Events, and `[DONE]` at the end. `onLeave` is called once
 * nobody reads any more.
 */
export function toChunkStream(
  chunks: ReadableStream<unknown>,
  onLeave: () => void,
): ReadableStream<Uint8Array> {
  return toServerSentEvents(
    whileRead(itemsOf(chunks), onLeave),
    (chunk) => `data: ${JSON.stringify(chunk)}\n\n`,
    { end: 'data: [DONE]\n\n' },
  );
}

/** By hand, because a stream's own iterator answers `return` only after the next chunk. */
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
