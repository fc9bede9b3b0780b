import type { RunEvent } from '@cueline/core';
import type { RunLogStore } from '@cueline/edge';
import { eventsOf } from '../../src/stores/event-batch.ts';

/** Adds events to a run, as a route does. */
export function write(
  store: Pick<RunLogStore, 'append'>,
  runId: string,
  events: readonly RunEvent[],
): ReturnType<RunLogStore['append']> {
  return store.append(runId, {
    first: events[0]!.seq,
    items: events.map((event) => JSON.stringify(event)),
    ended: events.at(-1)?.type === 'run-end',
  });
}

/** The events of a run, as objects. */
export function read(
  store: Pick<RunLogStore, 'read'>,
  ...given: Parameters<RunLogStore['read']>
): AsyncIterable<RunEvent> {
  return eventsOf(store.read(...given));
}

/** Reads items into `seen` until they end. */
export function collect<Item>(items: AsyncIterable<Item>): { seen: Item[]; ended: Promise<void> } {
  const seen: Item[] = [];
  const readAll = async (): Promise<void> => {
    for await (const item of items) seen.push(item);
  };
  return { seen, ended: readAll() };
}
