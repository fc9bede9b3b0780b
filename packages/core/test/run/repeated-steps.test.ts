// A durable run whose process has died in a step has that step's start in its log twice.
import { createRun, definePrompt, reduceAll, type RunEvent } from '@cueline/core';
import { continuableSteps } from '@cueline/core/replay';
import type { ScriptedTurn } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { call, json } from '../support.ts';
import { planned, stateOf, work, workerFor, type Worker } from '../support/durable-runs.ts';
import { failure } from '../support/retried-runs.ts';
import { codeOf } from '../support/runs.ts';

/** A prompt with a tool that notes the key of each call. */
function payer() {
  const paid: { to: string; key: string }[] = [];
  const definition = definePrompt('payer', (prompt) => {
    const pay = ({ to }: { to: string }, { idempotencyKey }: { idempotencyKey: string }): string => {
      paid.push({ to, key: idempotencyKey });
      return 'paid';
    };
    prompt.defTool('pay', 'Pays', z.object({ to: z.string() }), pay, {
      effect: 'external',
      idempotent: true,
    });
    prompt.$`Pay.`;
  });
  return { definition, paid };
}

const pay = (to: string): ScriptedTurn => ['Now. ', call('pay', { to }, `pay-${to}`)];
const options = { maxRetries: 0 };

/** The number of the step that each `step-start` of the run itself begins. */
const startsIn = (log: readonly RunEvent[]): number[] =>
  log.flatMap((event) => (event.type === 'step-start' && event.agent === undefined ? [event.step] : []));

/** Advances a run whose process dies after its next event for which `isIt` returns true. */
async function workUntil(worker: Worker, isIt: (event: RunEvent) => boolean): Promise<void> {
  const { store } = worker;
  const known = store.events.length;
  // a process that stores everything says where that is
  const whole = { ...worker, store: { ...store, events: [...store.events], batches: [...store.batches] } };
  await work(whole);
  const at = whole.store.events.findIndex((event, index) => index >= known && isIt(event));
  if (at < 0) throw new Error('There is no such event.');
  store.events = whole.store.events.slice(0, at + 1);
}

/** Two durable steps, the second of which a process has begun and a later one begins again. */
async function diedInSecondStep(turns: readonly ScriptedTurn[]) {
  const { definition, paid } = payer();
  const worker = workerFor(definition, turns, { options });
  expect(await work(worker)).toMatchObject({ status: 'next' });
  await workUntil(worker, ({ type }) => type === 'text-delta');
  // what the process would have done after its death
  paid.splice(1);
  expect(startsIn(worker.store.events)).toEqual([0, 1]);
  return { worker, definition, paid };
}

/** The same run, failed in its third step. */
async function failedInThirdStep() {
  const died = await diedInSecondStep([pay('ada'), pay('ben'), failure]);
  const { store } = died.worker;
  for (let status = 'next'; status === 'next';) ({ status } = await work(died.worker));
  expect(startsIn(store.events)).toEqual([0, 1, 1, 2]);
  expect(store.events.map(({ type }) => type)).toContain('retry');
  expect(stateOf(store)).toMatchObject({ status: 'error', steps: [{ step: 0 }, { step: 1 }, { step: 2 }] });
  return { ...died, log: store.events };
}

test('a retry of such a log continues without a gap in its steps', async () => {
  const { definition, paid, log } = await failedInThirdStep();
  const model = planned([pay('ada'), pay('ben'), pay('cleo'), 'All paid.']);
  const run = createRun(definition, { log, model });
  expect(await run.retry()).toBe('All paid.');
  expect(startsIn(run.log())).toEqual([0, 1, 1, 2, 3]);
  expect(run.getState().steps.map(({ step }) => step)).toEqual([0, 1, 2, 3]);
  expect(run.getState().toolCalls.map(({ step }) => step)).toEqual([0, 1, 2]);
  expect(paid.map(({ to }) => to)).toEqual(['ada', 'ben', 'cleo']);
  expect(run.log().map(({ seq }) => seq)).toEqual(run.log().map((_, index) => index));
  expect(reduceAll(run.log())).toStrictEqual(run.getState());
});

test('a retry of such a log takes each step that its state shows', async () => {
  const { definition, log } = await failedInThirdStep();
  const turns = [pay('ada'), pay('ben'), pay('cleo'), 'All paid.'];
  const run = createRun(definition, { log, model: planned(turns) });
  for (const from of [1, 2, 2, 1, 2]) {
    expect(await run.retry({ from })).toBe('All paid.');
    const shown = run.getState().steps.map(({ step }) => step);
    expect(shown).toEqual([0, 1, 2, 3]);
    expect(continuableSteps(run.log())).toEqual(shown);
  }
  for (const from of continuableSteps(log)) {
    const again = createRun(definition, { log, model: planned(turns) });
    expect(await again.retry({ from })).toBe('All paid.');
    expect(again.getState().steps.map(({ step }) => step)).toEqual([0, 1, 2, 3]);
    expect(continuableSteps(again.log())).toEqual([0, 1, 2, 3]);
  }
});

test('a call that is repeated in such a step has the key that its first process used', async () => {
  const { worker, definition, paid } = await diedInSecondStep([pay('ada'), pay('ben'), 'Both paid.']);
  // the second process dies, too, when it has begun the call
  await workUntil(worker, ({ type }) => type === 'tool-start');
  expect(startsIn(worker.store.events)).toEqual([0, 1, 1]);
  const [ada, ben] = ['run-1/0/pay-ada', 'run-1/1/pay-ben'];
  expect(paid.splice(0).map(({ key }) => key)).toEqual([ada, ben]);
  const log = json(worker.store.events);

  // another process continues the run
  for (let status = 'next'; status === 'next';) ({ status } = await work(worker));
  expect(stateOf(worker.store)).toMatchObject({ status: 'done', result: 'Both paid.' });
  expect(paid.splice(0)).toEqual([{ to: 'ben', key: ben }]);

  // or the run is retried in a page
  const run = createRun(definition, { log, model: planned([pay('ada'), pay('ben'), 'Both paid.']) });
  expect(await run.retry()).toBe('Both paid.');
  expect(paid).toEqual([{ to: 'ben', key: ben }]);
  expect(startsIn(run.log())).toEqual([0, 1, 1, 2]);
});

test('a call that a retry makes and repeats in a further retry keeps its key, too', async () => {
  const { definition, paid, log } = await failedInThirdStep();
  paid.length = 0;
  const turns = [pay('ada'), pay('ben'), pay('cleo'), 'All paid.'];
  const run = createRun(definition, { log, model: planned([...turns.slice(0, 3), failure]), options });
  expect(await codeOf(run.retry())).toBe('provider_error');
  const [{ key } = { key: '' }] = paid.splice(0);
  const runId = run.getState().runId;
  expect(key).toBe(`${runId}/0/pay-cleo`);
  // the page is closed when the call has begun
  const begun = run.log().findLastIndex(({ type }) => type === 'tool-start');
  const again = createRun(definition, { log: run.log().slice(0, begun + 1), model: planned(turns) });
  expect(await again.retry()).toBe('All paid.');
  expect(paid).toEqual([{ to: 'cleo', key }]);
  expect(startsIn(again.log())).toEqual([0, 1, 1, 2, 3]);
});
