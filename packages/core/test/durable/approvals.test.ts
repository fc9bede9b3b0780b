import { definePrompt } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { calls } from '../support.ts';
import {
  ask,
  bookTrip,
  helperTurns,
  sendTwo,
  trip,
  withHelper,
  type Done,
} from '../support/durable-prompts.ts';
import {
  approval,
  stateOf,
  work,
  workerFor,
  workToEnd,
  workUntilWaiting,
  type Worker,
} from '../support/durable-runs.ts';

/** A worker for the prompt `ask`, and what its tools have done. */
function asking(turns: readonly ScriptedTurn[]) {
  const done: Done = [];
  const worker = workerFor(ask(done), turns);
  return { done, worker, store: worker.store };
}

test('a run waits for approvals without a process, and continues with the responses', async () => {
  const { done, worker, store } = asking(sendTwo);
  const first = await work(worker);
  if (first.status !== 'waiting') throw new Error(first.status);
  expect(first.approvalIds).toHaveLength(2);
  expect(done).toEqual([]);
  expect(stateOf(store).toolCalls[2]).toMatchObject({ state: 'output-available', output: 'seen' });
  // nothing happens as long as nobody responds
  const length = store.events.length;
  expect(await work(worker)).toEqual(first);
  expect(store.events).toHaveLength(length);

  const [one, two] = first.approvalIds as [string, string];
  expect(await work(worker, [approval(two)])).toEqual({ ...first, approvalIds: [one] });
  expect(done).toEqual(['send b']);
  // the second response to the same approval has no effect
  expect(await work(worker, [approval(two, { approved: false }), approval(one), approval('other')])).toEqual({
    status: 'done',
  });
  expect(done).toEqual(['send b', 'send a']);
  const state = stateOf(store);
  expect(state).toMatchObject({ status: 'done', result: 'Sent.' });
  expect(state.approvals).toHaveLength(2);
  expect(state.toolCalls.map(({ output }) => output)).toEqual(['sent', 'sent', 'seen']);
});

test('a run waits without a process if a call repeats one that needs an approval', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const twice = calls(['send', { to: 'a' }], ['send', { to: 'a' }]);
  const { done, worker } = asking([twice, 'Sent.']);
  const first = workUntilWaiting(worker);
  await expect.poll(() => stateOf(worker.store).approvals).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(15_000);
  const [id] = await first;
  expect(await work(worker, [approval(id!)])).toEqual({ status: 'done' });
  expect(done).toEqual(['send a']);
  const state = stateOf(worker.store);
  expect(state).toMatchObject({ status: 'done', result: 'Sent.' });
  expect(state.approvals).toHaveLength(1);
  expect(state.toolCalls.map(({ output }) => output)).toEqual(['sent', 'sent']);
});

const same = (to: string): ScriptedTurn => [{ toolCall: { name: 'send', input: { to }, id: 'same' } }];

test('a call that reuses the id of an approved call needs its own approval', async () => {
  const { done, worker } = asking([same('a'), same('b'), 'Sent.']);
  const [first] = (await workUntilWaiting(worker)) as [string];
  const second = await work(worker, [approval(first)]);
  expect(second).toMatchObject({ status: 'waiting', approvalIds: [expect.not.stringMatching(first)] });
  expect(done).toEqual(['send a']);
});

test('a call that reuses the id of an approved call that was interrupted needs its own approval', async () => {
  const { done, worker, store } = asking([same('a'), same('b'), 'Sent.']);
  const [first] = (await workUntilWaiting(worker)) as [string];
  await work(worker, [approval(first)]);
  // killed inside the call
  store.events = store.events.slice(0, store.events.findIndex(({ type }) => type === 'tool-start') + 1);
  const second = await work(worker);
  expect(second).toMatchObject({ status: 'waiting', approvalIds: [expect.not.stringMatching(first)] });
  expect(stateOf(store).toolCalls[0]?.errorText).toContain('interrupted');
  expect(done).toEqual(['send a']);
});

test('an approval is withdrawn if another version of the tool cannot make the call', async () => {
  const worker = workerFor(ask([]), sendTwo);
  const [one, two] = (await workUntilWaiting(worker)) as [string, string];
  const definition = definePrompt('ask', (prompt) => {
    prompt.$`Send it.`;
    const options = { effect: 'external', needsApproval: true } as const;
    prompt.defTool('send', 'Send', z.object({ address: z.string() }), () => 'sent', options);
  });
  await work({ ...worker, definition }, [approval(one)]);
  const { events } = worker.store;
  const withdrawn = events.filter(({ type }) => type === 'approval-withdraw');
  expect(withdrawn).toMatchObject([{ approvalId: two }]);
  expect(stateOf(worker.store)).toMatchObject({ status: 'done', result: 'Sent.' });
});

test('the model reads a refused approval, and a call with edited arguments runs with them', async () => {
  const look = calls(['look']);
  const { done, worker } = asking([sendTwo[0]!, look, 'Sent.']);
  const [one, two] = (await workUntilWaiting(worker)) as [string, string];
  await work(worker, [
    approval(one, { approved: false, reason: 'not now' }),
    approval(two, { approved: true, input: { to: 'c' } }),
  ]);
  await workToEnd(worker);
  expect(done).toEqual(['send c']);
  const { toolCalls, steps } = stateOf(worker.store);
  expect(toolCalls[0]?.errorText).toContain('not now');
  // the last step is that of a process of its own
  const resultOf = (step: number): unknown =>
    steps[step]?.request.messages?.find(({ role }) => role === 'tool')?.content[1];
  expect(JSON.stringify(resultOf(1))).toContain('other arguments');
  expect(resultOf(2)).toEqual(resultOf(1));
});

test('an agent waits for an approval without a process, and continues with the response', async () => {
  const done: Done = [];
  const definition = withHelper((inner) => {
    inner.defTool('look', 'Look', z.object({}), () => {
      done.push('look');
      return 'seen';
    });
    inner.defTool(
      'send',
      'Send',
      z.object({}),
      (_none, { idempotencyKey }) => {
        done.push(`send ${idempotencyKey}`);
        return 'sent';
      },
      { effect: 'external', needsApproval: true },
    );
  });
  const turns = [calls(['look']), calls(['send']), 'Sent.'];
  const worker = workerFor(definition, helperTurns(turns));
  const first = await work(worker);
  if (first.status !== 'waiting') throw new Error(first.status);
  expect(await work(worker)).toEqual(first);
  await workToEnd(worker, [approval(first.approvalIds[0] ?? '')]);
  expect(done).toEqual(['look', 'send run-1/0/call-0-0/call-0-0/1/call-0-0']);
  const state = stateOf(worker.store);
  expect(state).toMatchObject({ status: 'done', result: 'Helped.' });
  expect(state.agents).toMatchObject([{ status: 'done', text: 'Sent.' }]);
});

test.each(['user-approval', 'denied'] as const)(
  'options.toolApproval applies to a call that is made in another process: %s',
  async (approvalStatus) => {
    const options = { toolApproval: { book: () => approvalStatus } } as Worker['options'];
    const whole = workerFor(bookTrip([]), trip, { options });
    for (let status = 'next'; status === 'next';) ({ status } = await work(whole));
    const done: Done = [];
    const worker = workerFor(bookTrip(done), trip, { options });
    // killed between the answer and the first tool of its step
    const end = whole.store.events.findLastIndex(({ type }) => type === 'model-call-end');
    worker.store.events = whole.store.events.slice(0, end + 1);
    const next = await work(worker);
    expect(done).toEqual([]);
    if (approvalStatus === 'denied') expect(stateOf(worker.store).toolCalls[1]?.state).toBe('output-error');
    else expect(next).toMatchObject({ status: 'waiting' });
  },
);

test.each<[string, (name: string) => string | AsyncIterable<string>]>([
  ['a function', (to) => `sent ${to}`],
  [
    'a generator',
    async function* (to) {
      yield `sent ${to}`;
    },
  ],
])(
  'a refused call of a tool that is %s is not asked about again, also in another process',
  async (_what, run) => {
    const done: Done = [];
    const definition = definePrompt('ask', (prompt) => {
      prompt.$`Send it.`;
      const noted = ({ to }: { to: string }) => {
        done.push(to);
        return run(to);
      };
      const options = { effect: 'external', needsApproval: true } as const;
      prompt.defTool('send', 'Send', z.object({ to: z.string() }), noted, options);
      prompt.defTool('look', 'Look', z.object({}), () => 'seen', { effect: 'read' });
    });
    const send = (to: string): ScriptedTurn => calls(['send', { to }]);
    const turns = [send('a'), send('a'), calls(['look']), send('b'), 'Then not.'];
    // the process that refuses the call asks the model once more
    for (const repeatedIn of ['the same process', 'another process']) {
      if (repeatedIn === 'another process') turns.splice(1, 2, turns[2]!, turns[1]!);
      const worker = workerFor(definition, turns);
      const [first] = (await workUntilWaiting(worker)) as [string];
      const refusal = approval(first, { approved: false, reason: 'not now' });
      expect(await work(worker, [refusal]), repeatedIn).toEqual({ status: 'next' });
      expect(await work(worker), repeatedIn).toEqual({ status: 'next' });
      const { toolCalls, approvals, steps } = stateOf(worker.store);
      expect(approvals, repeatedIn).toHaveLength(1);
      expect(steps, repeatedIn).toHaveLength(3);
      const [refused, again] = toolCalls.filter(({ toolName }) => toolName === 'send');
      const text = 'send was not run, because the user did not approve it: not now.';
      expect(refused, repeatedIn).toMatchObject({ state: 'output-error', errorText: text });
      expect(again, repeatedIn).toMatchObject({ output: text, repeated: true });
      // another call is asked about
      const [second] = (await workUntilWaiting(worker)) as [string];
      await workToEnd(worker, [approval(second)]);
      expect(stateOf(worker.store)).toMatchObject({ status: 'done', result: 'Then not.' });
    }
    expect(done).toEqual(['b', 'b']);
  },
);

test('an approved call has the arguments that were shown, also if its schema changes them', async () => {
  const paid: unknown[] = [];
  const definition = definePrompt('pay', (prompt) => {
    const schema = z.object({
      cents: z.number().transform((euros) => euros * 100),
      to: z.string().transform((name) => name.length),
    });
    prompt.defTool('pay', 'Pays', schema, (args) => void paid.push(args), { needsApproval: true });
    prompt.$`Pay.`;
  });
  const worker = workerFor(definition, [calls(['pay', { cents: 5, to: 'Ada' }]), 'Paid.']);
  const [id] = (await workUntilWaiting(worker)) as [string];
  expect(stateOf(worker.store).approvals).toMatchObject([{ input: { cents: 500, to: 3 } }]);
  expect(await workToEnd(worker, [approval(id)])).toBeLessThan(3);
  expect(paid).toEqual([{ cents: 500, to: 3 }]);
});
