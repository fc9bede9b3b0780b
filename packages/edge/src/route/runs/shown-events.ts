import type { RunEvent } from '@cueline/core';
import type { EventBatch } from '../../stores/run-log-store.ts';
import { createErrorRedaction } from '../redact-errors.ts';
import { redactRequests } from '../redact-requests.ts';
import type { RouteSettings } from '../settings.ts';

/**
 * Returns the events of a stored run as clients may read them. The run is read from its beginning, because a later event
 * may repeat an error that an earlier one has. `open` gets a signal that is aborted when the reader leaves.
 */
export function shownEvents(
  open: (signal: AbortSignal) => AsyncIterable<RunEvent>,
  afterSeq: number,
  { showErrors, showRequests }: Pick<RouteSettings, 'showErrors' | 'showRequests'>,
): AsyncIterable<EventBatch> {
  return {
    [Symbol.asyncIterator]() {
      const leaving = new AbortController();
      const events = open(leaving.signal)[Symbol.asyncIterator]();
      // the store has the errors whole, so that its operator can read them there
      const hideErrors = showErrors ? undefined : createErrorRedaction(() => {});
      return {
        async next() {
          for (;;) {
            const { done, value } = await events.next();
            if (done === true) return { done, value: undefined };
            const event = hideErrors?.(value) ?? value;
            if (value.seq <= afterSeq) continue;
            const item = JSON.stringify(showRequests ? event : redactRequests(event));
            const batch = { first: value.seq, items: [item], ended: value.type === 'run-end' };
            return { done: false, value: batch };
          }
        },
        // by hand and not as a generator, because a generator queues a return behind a waiting `next`
        return: async () => {
          leaving.abort();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
