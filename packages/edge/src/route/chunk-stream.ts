import { toServerSentEvents } from '@cueline/core/server';
import { whileRead } from './streams.ts';

/**
 * How long a client may leave unread what there is for it, in milliseconds. The chunks of a run hold all that was said in
 * it: a client that takes none must not keep them for ever.
 */
const STALL_MS = 60_000;

/**
 * Chunks as the AI SDK's clients read them: Server-Sent Events, and `[DONE]` at the end. `onLeave` is called once
 * nobody reads any more, or has not for `stallMs` (default a minute): then the chunks are let go of.
 */
export function toChunkStream(
  chunks: ReadableStream<unknown>,
  onLeave: () => void,
  stallMs: number = STALL_MS,
): ReadableStream<Uint8Array> {
  return toServerSentEvents(
    whileRead(itemsOf(chunks, stallMs, onLeave), onLeave),
    (chunk) => `data: ${JSON.stringify(chunk)}\n\n`,
    { end: 'data: [DONE]\n\n' },
  );
}

/** By hand, because a stream's own iterator answers `return` only after the next chunk. */
function itemsOf(
  chunks: ReadableStream<unknown>,
  stallMs: number,
  onStall: () => void,
): AsyncIterable<unknown> {
  /** Until they are let go of: nothing else here may refer to them. */
  let reader: ReadableStreamDefaultReader<unknown> | undefined = chunks.getReader();
  return {
    [Symbol.asyncIterator]() {
      let unreadSince: number | undefined = performance.now();
      const letGo = (): void => {
        clearInterval(timer);
        reader?.cancel().catch(() => {});
        reader = undefined;
      };
      const timer = setInterval(() => {
        if (unreadSince === undefined || performance.now() - unreadSince < stallMs) return;
        letGo();
        onStall();
      }, stallMs / 4);
      // in Node a timer keeps the process alive, which this one is not worth
      (timer as { unref?: () => void }).unref?.();
      return {
        async next() {
          if (reader === undefined)
            throw new Error('The answer was not read for too long. Come back for it.');
          unreadSince = undefined;
          const { done, value } = await reader.read();
          unreadSince = performance.now();
          if (!done) return { done, value };
          letGo();
          return { done, value: undefined };
        },
        return() {
          letGo();
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  };
}
