import { checkNames } from '../base/check-names.ts';
import type { RunEvent } from '../log/events.ts';
import { toServerSentEvents } from './server-sent-events.ts';

/** The options of {@link toEventStream}. */
export type EventStreamOptions = {
  /** How often to send a comment while nothing happens, in milliseconds; default 15,000. */
  heartbeatMs?: number | undefined;
};

/**
 * Returns events as Server-Sent Events, for the body of a `text/event-stream` response. `id` is the event's `seq`, so
 * that a disconnected client can ask for the events after it, and `data` is the event as JSON. Cancelling the stream
 * only stops reading `events`.
 */
export function toEventStream(
  events: AsyncIterable<RunEvent>,
  options: EventStreamOptions = {},
): ReadableStream<Uint8Array> {
  checkNames('toEventStream', options, ['heartbeatMs'], 'invalid_options');
  return toServerSentEvents(
    events,
    (event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`,
    options,
  );
}
