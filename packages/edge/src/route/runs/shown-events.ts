import type { RunEvent } from '@cueline/core';
import type { EventBatch } from '../../stores/run-log-store.ts';
import { createErrorRedaction } from '../redact-errors.ts';
import { redactRequests } from '../redact-requests.ts';
import type { RouteSettings } from '../settings.ts';

/** Reads a stored run. */
export type RunReader = {
  /** Returns the events that are stored now; undefined if they cannot be read at the moment. */
  read(signal: AbortSignal): Promise<readonly RunEvent[] | undefined>;
  /** Yields the stored events after `afterSeq`, then new ones. */
  watch(afterSeq: number, signal: AbortSignal): AsyncIterable<RunEvent>;
};

/**
 * Returns the events of a stored run as clients may read them. The run is read from its beginning, because a later
 * event may repeat an error that an earlier one has. What is stored waits for a slow client as text, because many
 * small values take twenty times as much memory.
 */
export function shownEvents(
  { read, watch }: RunReader,
  afterSeq: number,
  { showErrors, showRequests }: Pick<RouteSettings, 'showErrors' | 'showRequests'>,
): AsyncIterable<EventBatch> {
  return {
    [Symbol.asyncIterator]() {
      const leaving = new AbortController();
      // the store has the errors whole, so that its operator can read them there
      const hideErrors = showErrors ? undefined : createErrorRedaction(() => {});
      let stored: Promise<Iterator<EventBatch>> | undefined;
      let later: AsyncIterator<RunEvent> | undefined;

      /** Returns what a client reads of the next event: nothing of those that it has. */
      function show(whole: RunEvent): EventBatch[] {
        const event = hideErrors?.(whole) ?? whole;
        if (whole.seq <= afterSeq) return [];
        const item = JSON.stringify(showRequests ? event : redactRequests(event));
        return [{ first: whole.seq, items: [item], ended: whole.type === 'run-end' }];
      }

      async function begin(): Promise<Iterator<EventBatch>> {
        const events = (await read(leaving.signal)) ?? [];
        const last = events.at(-1);
        if (last?.type !== 'run-end') {
          later = watch(last?.seq ?? -1, leaving.signal)[Symbol.asyncIterator]();
        }
        return events.flatMap(show).values();
      }

      return {
        async next() {
          stored ??= begin();
          const next = (await stored).next();
          if (next.done !== true) return next;
          for (;;) {
            const following = await later?.next();
            if (following === undefined || following.done === true) return { done: true, value: undefined };
            const [batch] = show(following.value);
            if (batch !== undefined) return { done: false, value: batch };
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
