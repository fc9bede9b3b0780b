// Sessions whose events a test sends, and tabs that record them in one database.
import 'fake-indexeddb/auto';
import { createRun, definePrompt, type Executor, type RunEvent } from '@cueline/core';
import { expect, vi } from 'vitest';
import { createDatabase } from '../../src/history/database.ts';
import { openStoredRun } from '../../src/history/open-stored-run.ts';
import type { RunRow } from '../../src/history/rows.ts';
import { createRunStore, type RunStore } from '../../src/history/run-store.ts';
import { createRunSaver, type RunSaver } from '../../src/history/save-runs.ts';
import type { RunSession } from '../../src/state/store.ts';
import { sessionOf } from '../sessions.ts';

let names = 0;
export const newName = (): string => `runs-${(names += 1)}`;
export const held = new Set<string>();
const locks = {
  hold: (id: string) => (held.add(id), () => void held.delete(id)),
  held: () => Promise.resolve(held),
};

export function createTab(
  name: string,
  change: (store: RunStore) => RunStore = (it) => it,
  shown?: Set<string>,
) {
  const store = change(createRunStore(createDatabase(name)));
  const onProblem = vi.fn();
  const recorder: RunSaver = createRunSaver({
    store,
    locks,
    isShown: ({ id }) => shown?.has(id) ?? true,
    isKept: () => true,
    onProblem,
    onWritten: () => {},
    batch: 5,
  });
  return { store, recorder, onProblem };
}

/** The row of a run that has ended. */
export const rowOf = (id: string, more: Partial<RunRow> = {}): RunRow => ({
  id,
  title: `Run ${id}`,
  pinned: false,
  source: { script: '' },
  model: { name: 'Demo', detail: 'simulated' },
  simulated: true,
  startedOn: 1_000,
  updatedOn: 1_000,
  status: 'done',
  steps: 1,
  turns: 1,
  elapsed: 10,
  size: 100,
  hasLog: true,
  writer: 'w',
  ...more,
});

/** A run whose events the test sends. `log` has those of the run that it continues. */
export function createSession(
  id: string,
  log: readonly object[] = [],
): RunSession & { say: (...bodies: object[]) => Promise<void> } {
  let queue: RunEvent[] = [];
  let wake = (): void => {};
  let seq = 0;
  const executor: Executor = {
    async *start() {
      seq = 0;
      for (;;) {
        const event = queue.shift();
        if (event !== undefined) yield event;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
  const run = createRun(
    definePrompt('script', () => {}),
    { executor, log: log.map((body, index) => ({ t: index, seq: index, ...body }) as never) },
  );
  return {
    ...sessionOf(run, {
      id,
      source: { script: '// mine' },
      openScript: { id: 'script', name: 'Mine', origin: 'own', kept: true, revision: 1 },
      model: { name: 'Demo', detail: 'simulated' },
    }),
    async say(...bodies) {
      const before = run.log().length === 0 || run.log().at(-1)?.type === 'run-end' ? 0 : run.log().length;
      queue = [...queue, ...bodies.map((body) => ({ t: seq, seq: seq++, ...body }) as never)];
      wake();
      await expect.poll(() => run.log().length).toBe(before + bodies.length);
    },
  };
}

export const start = { type: 'run-start', v: 2, runId: 'r', model: 'demo:m', messages: [], messageId: 'a' };
export const step = { type: 'step-start', step: 0, request: { messages: [] } };
export const text = { type: 'text-delta', id: 't', text: 'Hello' };
export const end = { type: 'run-end', outcome: 'done', finishReason: 'stop' };

/** Starts a session's run, and records these events of it. */
export async function record(
  recorder: RunSaver,
  session: ReturnType<typeof createSession>,
  ...bodies: object[]
): Promise<void> {
  recorder.follow(session);
  session.run.start().catch(() => {});
  await session.say(...bodies);
  await recorder.flush();
}

/** Opens a stored run, which has to be there. */
export async function openRun(store: RunStore, id: string) {
  const opened = await openStoredRun(store, id);
  return 'problem' in opened ? expect.unreachable(opened.problem) : opened;
}
