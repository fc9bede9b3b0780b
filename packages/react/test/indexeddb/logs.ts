import type { RunEvent, RunEventBody } from '@cueline/core';
import {
  indexedDbStorage,
  type IndexedDbStorage,
  type IndexedDbStorageOptions,
} from '@cueline/react/indexeddb';
import { onTestFinished, vi } from 'vitest';

/** Events in their places, from `seq` on. */
export function inLog(bodies: readonly RunEventBody[], seq = 0): RunEvent[] {
  return bodies.map((body, index) => ({ seq: seq + index, t: (seq + index) * 10, ...body }));
}

/** The log of a run that says `words`, as yet without its end. */
export function logOf(words: readonly string[], name = 'plan-day'): RunEvent[] {
  return inLog([
    { type: 'run-start', v: 2, runId: 'run-1', name, model: 'm', messages: [], messageId: 'answer' },
    ...words.map((text) => ({ type: 'text-delta' as const, id: 't', text })),
  ]);
}

/** `events` words of text behind each other, from `seq` on. */
export function wordsFrom(seq: number, events: number): RunEvent[] {
  return inLog(
    Array.from({ length: events }, (_, index) => ({ type: 'text-delta', id: 't', text: `${seq + index} ` })),
    seq,
  );
}

let databases = 0;

/** A database of the test's own: a tab's storage in it, and the way to open one more tab. It is deleted after the test. */
export function freshDatabase(): {
  name: string;
  storage: IndexedDbStorage;
  tab(options?: IndexedDbStorageOptions): IndexedDbStorage;
} {
  const name = `test-${(databases += 1)}-${performance.timeOrigin}`;
  onTestFinished(() => void indexedDB.deleteDatabase(name));
  const tab = (options?: IndexedDbStorageOptions): IndexedDbStorage =>
    indexedDbStorage({ databaseName: name, ...options });
  return { name, storage: tab(), tab };
}

/** The next batch that is stored, of any tab, does not fit on the disk. */
export function failNextWrite(): void {
  const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementationOnce(() => {
    throw new DOMException('no space', 'QuotaExceededError');
  });
  onTestFinished(() => put.mockRestore());
}

/** What a promise that must reject rejects with: code, reason and message. */
export async function failureOf(
  promise: Promise<unknown>,
): Promise<[code: string, reason: string, message: string]> {
  const error = await promise.then(
    () => undefined,
    (error: unknown) => error as { code: string; message: string; details?: { reason?: string } },
  );
  return [error?.code ?? 'did not fail', error?.details?.reason ?? '', error?.message ?? ''];
}

/**
 * A page without https, whose browser gives it no locks. Tabs then look as if they had been closed after each batch.
 */
export function withoutLocks(): void {
  const locks = vi.spyOn(navigator, 'locks', 'get').mockReturnValue(undefined as never);
  onTestFinished(() => locks.mockRestore());
}
