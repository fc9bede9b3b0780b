import type { RunEvent } from './events.ts';

/** A comment this often keeps proxies from closing a connection on which nothing happens. */
const HEARTBEAT_MS = 15_000;

export type EventStreamOptions = {
  /** How often to send a comment while nothing happens; default 15,000. */
  heartbeatMs?: number | undefined;
};

/**
 * Events as Server-Sent Events, for the body of a `text/event-stream` response: `id` is the event's `seq`, so that a
 * client which was cut off can ask for what follows, and `data` is the event as JSON. Cancelling it only stops reading
 * `events`.
 */
export function toEventStream(
  events: AsyncIterable<RunEvent>,
  options: EventStreamOptions = {},
): ReadableStream<Uint8Array> {
  const { heartbeatMs = HEARTBEAT_MS } = options;
  const iterator = events[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const comment = encoder.encode(':\n\n');
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // some servers hold the headers back until there is something to send
      controller.enqueue(comment);
    },
    async pull(controller) {
      heartbeat ??= setInterval(() => {
        // of comments that nobody takes, one is enough
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(comment);
      }, heartbeatMs);
      try {
        const next = await iterator.next();
        if (next.done === true) {
          clearInterval(heartbeat);
          controller.close();
        } else {
          controller.enqueue(
            encoder.encode(`id: ${next.value.seq}\ndata: ${JSON.stringify(next.value)}\n\n`),
          );
        }
      } catch (error) {
        clearInterval(heartbeat);
        throw error;
      }
    },
    cancel() {
      clearInterval(heartbeat);
      // not awaited: a generator answers only after its next event
      iterator.return?.().catch(() => {});
    },
  });
}
