import type { RunEvent, RunOutcome } from '@cueline/core';

/** A stored run, without its events. */
export type StoredRun = {
  id: string;
  /** The prompt's name, if it has one. */
  name?: string;
  /** How many events its log has. */
  events: number;
  /** When it was started, in milliseconds since 1970. */
  startedAt: number;
  /** When it was last written to, in milliseconds since 1970. */
  updatedAt: number;
  /** How it ended. Missing while it is in progress, here or in another tab, and if it was interrupted. */
  outcome?: RunOutcome;
};

/** The record of a run after `batch` is stored; `before` is the record until then. */
export function describeRun(
  id: string,
  batch: readonly RunEvent[],
  before: StoredRun | undefined,
  now: number,
): StoredRun {
  const first = batch.at(0);
  const last = batch.at(-1);
  const name = first?.type === 'run-start' ? first.name : before?.name;
  return {
    id,
    ...(name === undefined ? {} : { name }),
    events: (first?.seq ?? 0) + batch.length,
    startedAt: first?.seq === 0 ? now : (before?.startedAt ?? now),
    updatedAt: now,
    ...(last?.type === 'run-end' ? { outcome: last.outcome } : {}),
  };
}

/** How many events of `batches` are consecutive from 0, in whole batches, so that the next one can follow them. */
export function consecutiveLength(batches: readonly (readonly RunEvent[])[]): number {
  let length = 0;
  for (const batch of batches) {
    if (!Array.isArray(batch) || !follows(batch, length)) break;
    length += batch.length;
  }
  return length;
}

/** True if the events have consecutive numbers from `seq` on. */
export function follows(batch: readonly RunEvent[], seq: number): boolean {
  return batch.every((event, index) => event?.seq === seq + index);
}
