import { checkNames } from '../base/check-names.ts';

/** Comments at this interval keep proxies from closing an idle connection. */
const HEARTBEAT_MS = 15_000;

/** The options of {@link toServerSentEvents}. */
export type ServerSentEventsOptions = {
  /** How often to send a comment while nothing happens, in milliseconds. Default 15,000. */
  heartbeatMs?: number | undefined;
  /** The last frame, after the items have ended. Default: none. */
  end?: string | undefined;
};

/**
 * Returns items for the body of a `text/event-stream` response, each as `toFrame` writes it. Cancelling the stream
 * only stops reading `items`.
 *
 * @example
 * toServerSentEvents(words, (word) => `data: ${JSON.stringify(word)}\n\n`)
 */
export function toServerSentEvents<Item>(
  items: AsyncIterable<Item>,
  toFrame: (item: Item) => string,
  options: ServerSentEventsOptions = {},
): ReadableStream<Uint8Array> {
  checkNames('toServerSentEvents', options, ['heartbeatMs', 'end'], 'invalid_options');
  const { heartbeatMs = HEARTBEAT_MS, end } = options;
  const iterator = items[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const comment = encoder.encode(':\n\n');
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // some servers send the headers only together with the first bytes
      controller.enqueue(comment);
    },
    async pull(controller) {
      heartbeat ??= setInterval(() => {
        // one unread comment is enough
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(comment);
      }, heartbeatMs);
      try {
        const next = await iterator.next();
        if (next.done !== true) {
          controller.enqueue(encoder.encode(toFrame(next.value)));
          return;
        }
        clearInterval(heartbeat);
        if (end !== undefined) controller.enqueue(encoder.encode(end));
        controller.close();
      } catch (error) {
        clearInterval(heartbeat);
        throw error;
      }
    },
    cancel() {
      clearInterval(heartbeat);
      // not awaited, because a generator answers only after its next item
      iterator.return?.().catch(() => {});
    },
  });
}
