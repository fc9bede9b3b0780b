import { definePrompt, tool } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
// A process crashes after any event of a run, or after any write, and another process continues the run.
import { expect, test } from 'vitest';
import * as z from 'zod';
import { complete } from '../agents/session/sessions.ts';
import { calls } from '../support.ts';
import { agentScripts } from '../support/agent-scripts.ts';
import {
  bookTrip,
  helperTurns,
  tasks,
  trip,
  turnsOfTask,
  withHelper,
  type Definition,
  type Done,
} from '../support/durable-prompts.ts';
import {
  createStore,
  stateOf,
  work,
  workerFor,
  workToEnd,
  type RunStore,
  type Worker,
} from '../support/durable-runs.ts';
import { killAfterWrites } from '../support/killed-advances.ts';
import { sampled } from '../support/sample.ts';
import { research, sessionScripts } from '../support/session-scripts.ts';

/** Kills a run after any number of events, lets another process continue it, and looks at what came of it. */
async function killEverywhere(
  make: (done: Done) => Definition,
  turns: Parameters<typeof workerFor>[1],
  check: (done: Done, store: RunStore, after: string) => void,
  options?: Worker['options'],
): Promise<RunStore> {
  const whole = createStore();
  await workToEnd(workerFor(make([]), turns, { store: whole, options }));
  for (const failsAt of sampled([0, ...whole.events.map(({ seq }) => seq + 1)])) {
    const done: Done = [];
    const store = createStore();
    const worker = workerFor(make(done), turns, { store, options });
    store.failsAt = failsAt;
    for (let status = 'next'; status === 'next';) ({ status } = await work(worker));
    store.failsAt = Infinity;
    await workToEnd(worker);
    check(done, store, `killed after ${failsAt} of ${whole.events.length} events`);
  }
  return whole;
}

function countIn(done: Done, what: string): number {
  return done.filter((each) => each === what).length;
}

test('a process that crashes after any event starts each write at most once, and the run ends', async () => {
  await killEverywhere(bookTrip, trip, (done, store, after) => {
    const state = stateOf(store);
    expect(state, after).toMatchObject({ status: 'done', result: 'Booked.' });
    expect(countIn(done, 'book 7'), after).toBeLessThanOrEqual(1);
    expect(countIn(done, 'book 8'), after).toBeLessThanOrEqual(1);
    for (const { toolName, state: how, errorText } of state.toolCalls) {
      if (how === 'output-available') continue;
      expect([how, toolName, errorText], after).toEqual([
        'output-error',
        'book',
        expect.stringContaining('interrupted'),
      ]);
    }
    // every step ends once, and half an answer does not count
    const ends = store.events.flatMap((event) => (event.type === 'step-end' ? [event.step] : []));
    expect(ends, after).toEqual([0, 1, 2]);
  });
});

test('an idempotent call is made again with the same key', async () => {
  const keys: string[] = [];
  const pay = (): Definition =>
    definePrompt('pay', (prompt) => {
      prompt.$`Pay.`;
      prompt.defTool(
        'pay',
        'Pay',
        z.object({}),
        (_args, { idempotencyKey }) => {
          keys.push(idempotencyKey);
          return 'paid';
        },
        { effect: 'external', idempotent: true },
      );
    });
  await killEverywhere(pay, [calls(['pay']), 'Paid.'], (_done, store, after) => {
    const [call] = stateOf(store).toolCalls;
    expect(call, after).toMatchObject({ state: 'output-available', output: 'paid' });
  });
  expect(new Set(keys)).toEqual(new Set(['run-1/0/call-0-0']));
  // most runs were killed before the call, and it was made once
  expect(keys.length).toBeGreaterThan(3);
});

test('of two identical writes, the second is not made if the first was interrupted', async () => {
  const twice = [calls(['book', { train: 7 }], ['book', { train: 7 }]), 'Booked.'];
  await killEverywhere(bookTrip, twice, (done, store, after) => {
    expect(stateOf(store), after).toMatchObject({ status: 'done', result: 'Booked.' });
    expect(countIn(done, 'book 7'), after).toBeLessThanOrEqual(1);
  });
});

test('an agent inside a tool continues where it was', async () => {
  const noting = (done: Done): Definition =>
    withHelper((inner) =>
      inner.defTool(
        'note',
        'Note',
        z.object({ what: z.string() }),
        ({ what }) => {
          done.push(`note ${what}`);
          return 'noted';
        },
        { effect: 'write' },
      ),
    );
  const note = (what: string): ScriptedTurn => calls(['note', { what }]);
  const turns = helperTurns([note('a'), note('b'), 'Noted.']);
  const whole = await killEverywhere(noting, turns, (done, store, after) => {
    const state = stateOf(store);
    expect(state, after).toMatchObject({ status: 'done', result: 'Helped.' });
    expect(state.toolCalls[0], after).toMatchObject({ state: 'output-available', output: 'Noted.' });
    expect(state.agents, after).toHaveLength(1);
    const steps = state.agents[0]?.steps.map(({ step }) => step);
    expect(steps, after).toEqual([0, 1, 2]);
    expect(countIn(done, 'note a'), after).toBeLessThanOrEqual(1);
    expect(countIn(done, 'note b'), after).toBeLessThanOrEqual(1);
  });
  expect(stateOf(whole).agents[0]).toMatchObject({ status: 'done', text: 'Noted.' });
});

test('a task list continues where it was, including its reminders', async () => {
  const seen = new Map<string, unknown>();
  await killEverywhere(
    tasks,
    turnsOfTask,
    (done, store, after) => {
      const state = stateOf(store);
      expect(state.status, after).toBe('done');
      expect(state.tasks, after).toMatchObject([
        { status: 'completed', result: 'a' },
        { status: 'completed', result: 'b' },
      ]);
      // a result that was refused just before the end of the process is handed in again
      expect([1, 2], after).toContain(state.tasks[0]?.attempts);
      expect(countIn(done, 'act a'), after).toBeLessThanOrEqual(1);
      expect(
        store.events.filter(({ type }) => type === 'task-add'),
        after,
      ).toHaveLength(2);
      const steers = store.events.filter((event) => event.type === 'steer' && event.cause === 'tasks');
      expect(steers.length, after).toBe(1);
      seen.set(after, state.steps.at(-1)?.request.messages.length);
    },
    { limits: { steps: 20 } },
  );
  // what the model is sent at the end does not depend on where the process was killed
  expect(new Set(seen.values()).size).toBe(1);
});

test('a session starts each write at most once, and its end counts all turns', async () => {
  const pays = (done: Done): Definition =>
    research(
      {
        onComplete: (_id, { completionReason, totalTurns }) =>
          void done.push(`${completionReason} in ${totalTurns}`),
      },
      {
        tools: [
          tool('pay', 'Pays', z.object({ n: z.number() }), ({ n }) => (done.push(`pay ${n}`), 'paid'), {
            effect: 'write',
          }),
        ],
      },
    );
  const turns = [calls(['pay', { n: 1 }], ['pay', { n: 2 }]), calls(['pay', { n: 3 }]), complete()];
  await killEverywhere(pays, turns, (done, store, after) => {
    const state = stateOf(store);
    expect(state, after).toMatchObject({ status: 'done', result: { summary: 'All done.' } });
    for (const n of [1, 2, 3]) expect(countIn(done, `pay ${n}`), after).toBeLessThanOrEqual(1);
    expect(
      state.steps.map(({ step }) => step),
      after,
    ).toEqual([0, 1, 2]);
    expect(done.at(-1), after).toBe('task_complete in 3');
  });
});

test.each([
  ...sessionScripts.map((script) => ({ what: 'a session', ...script })),
  ...agentScripts.map((script) => ({ what: 'an agent call', ...script })),
])(
  '$what whose process crashes after any write continues with the same requests: $name',
  async ({ make, turns, input, check }) => {
    const whole = await killAfterWrites(make, turns, input);
    check?.(whole);
    expect(stateOf(whole).status).toBe('done');
  },
);
