import { definePrompt, type PromptDefinition } from '@cueline/core';
import { advance, type DurableCommand } from '@cueline/core/durable';
import type { ScriptedTurn } from '@cueline/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { createStore, planned, stateOf, work, workToEnd, type Worker } from '../support/durable-runs.ts';

const send: ScriptedTurn = [{ toolCall: { name: 'send', input: {} } }];
const finish = (id: string): ScriptedTurn => [
  { toolCall: { name: 'finishTask', input: { result: 'x' }, id } },
];

const tasks = definePrompt('tasks', (prompt) => {
  prompt.$`Work.`;
  prompt.defTool('send', 'Send', z.object({}), () => 'sent', { needsApproval: true });
  prompt.defTaskList([{ task: 'Do a' }]);
}) as unknown as PromptDefinition<never>;

test('an edit reaches the task list of a waiting run, and the run continues to wait', async () => {
  const store = createStore();
  let asked = 0;
  const worker: Worker = {
    store,
    definition: tasks,
    model: () => {
      asked += 1;
      // each task begins without the answers to the one before
      return planned(({ prompt }) =>
        JSON.stringify(prompt).includes('[Task 2/2] Do b') ||
        JSON.stringify(prompt).includes('All tasks are completed')
          ? [finish('2'), 'Done.']
          : [send, finish('1')],
      );
    },
  };
  const first = await work(worker);
  if (first.status !== 'waiting') throw new Error(first.status);
  const edit = { type: 'edit', edit: { type: 'add', title: 'Do b' } } as const;
  expect(await work(worker, [edit])).toEqual(first);
  expect(stateOf(store).tasks.map(({ title }) => title)).toEqual(['Do a', 'Do b']);
  expect(stateOf(store).steps).toHaveLength(1);
  const [approvalId] = first.approvalIds as [string];
  await workToEnd(worker, [{ type: 'approval-response', approvalId, response: { approved: true } }]);
  expect(stateOf(store)).toMatchObject({ status: 'done' });
  expect(stateOf(store).tasks.map(({ status }) => status)).toEqual(['completed', 'completed']);
  expect(asked).toBeGreaterThan(2);
});

test('the times of a run include its waits if its start is known, and never go back', async () => {
  const store = createStore();
  const append = async (events: readonly (typeof store.events)[number][]): Promise<void> =>
    void store.events.push(...events);
  const definition = definePrompt('two', (prompt) => {
    prompt.$`Go.`;
    prompt.defTool('look', 'Look', z.object({}), () => 'seen');
  });
  const look: ScriptedTurn = [{ toolCall: { name: 'look', input: {} } }];
  const run = { runId: 'run-1', definition, input: undefined, model: planned([look, look, 'Done.']) };
  const startedAt = Date.now();
  await advance({ ...run, startedAt, events: [] }, { append });
  const before = store.events.at(-1)?.t ?? 0;
  expect(before).toBeLessThan(60_000);
  const hour = 3_600_000;
  const length = store.events.length;
  await advance({ ...run, startedAt: startedAt - hour, events: [...store.events] }, { append });
  expect(store.events[length]?.t).toBeGreaterThanOrEqual(hour);
  // the clock of this process is behind
  const last = store.events.at(-1)?.t ?? 0;
  const next = store.events.length;
  await advance({ ...run, startedAt, events: [...store.events] }, { append });
  expect(store.events[next]?.t).toBeGreaterThanOrEqual(last);
});

test('an edit of the task list of an agent is made while the agent is at work, and one of the run waits for the next step', async () => {
  const store = createStore();
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  onTestFinished(open);
  const begun: string[] = [];
  const definition = definePrompt('parent', (prompt) => {
    prompt.$`Ask the helper.`;
    prompt.defTaskList([{ task: 'Do a' }]);
    prompt.defAgent('helper', 'Helps', z.object({}), (_args, inner) => {
      inner.$`You are the helper.`;
      inner.defTaskList([{ task: 'Do x' }]);
      inner.defTool('look', 'Look', z.object({}), async () => {
        begun.push('look');
        await opened;
        return 'seen';
      });
    });
  });
  const asksOf = (prompt: unknown): readonly ScriptedTurn[] => {
    const text = JSON.stringify(prompt);
    if (!text.includes('You are the helper')) {
      return [[{ toolCall: { name: 'helper', input: {} } }], finish('1'), 'Done.'];
    }
    if (text.includes('[Task 2/2] Do y') || text.includes('All tasks are completed'))
      return [finish('2'), 'Helped.'];
    return [[{ toolCall: { name: 'look', input: {} } }], finish('1')];
  };
  let give: ((command: DurableCommand) => Promise<boolean>) | undefined;
  const run = {
    runId: 'run-1',
    definition,
    input: undefined,
    model: planned(({ prompt }) => asksOf(prompt)),
  };
  const advanced = advance(
    { ...run, events: [] },
    { append: async (events) => void store.events.push(...events), during: (given) => (give = given) },
  );
  await expect.poll(() => begun).toEqual(['look']);
  const [agent] = stateOf(store).agents;
  const edit = (title: string) => ({ type: 'add', title }) as const;
  expect(await give?.({ type: 'edit', edit: edit('Do y'), agent: agent?.path ?? '' })).toBe(true);
  expect(await give?.({ type: 'edit', edit: edit('Do b') })).toBe(false);
  expect(await give?.({ type: 'edit', edit: edit('Do z'), agent: 'nobody' })).toBe(false);
  // the edit is in the log before the agent continues
  await expect
    .poll(() => stateOf(store).agents[0]?.tasks.map(({ title }) => title))
    .toEqual(['Do x', 'Do y']);
  open();
  await advanced;
  expect(stateOf(store).agents).toMatchObject([
    { status: 'done', tasks: [{ status: 'completed' }, { status: 'completed' }] },
  ]);
  expect(stateOf(store).tasks.map(({ title }) => title)).toEqual(['Do a']);
});

test('an edit that comes during the last step is made before the run ends, and the run continues', async () => {
  const store = createStore();
  const definition = definePrompt('tasks', (prompt) => {
    prompt.$`Work.`;
    prompt.defTaskList([{ task: 'Do a' }]);
  }) as unknown as PromptDefinition<never>;
  const model = () =>
    planned(({ prompt }) =>
      JSON.stringify(prompt).includes('Do b') ? [finish('1'), finish('2'), 'Done.'] : [finish('1'), 'Done.'],
    );
  const worker: Worker = { store, definition, model };
  expect(await work(worker)).toEqual({ status: 'next' });
  const taken: boolean[] = [];
  let give: ((command: DurableCommand) => Promise<boolean>) | undefined;
  const advanced = await advance(
    { runId: 'run-1', definition, input: undefined as never, model: model(), events: [...store.events] },
    {
      append: async (events) => void store.events.push(...events),
      during: (given) => (give = given),
      async beforeEnd() {
        const edit = { type: 'add', title: 'Do b' } as const;
        if (taken.length === 0) taken.push((await give?.({ type: 'edit', edit })) === true);
      },
    },
  );
  expect(taken).toEqual([true]);
  expect(advanced).toEqual({ status: 'next' });
  expect(store.events.map(({ seq }) => seq)).toEqual(store.events.map((_event, index) => index));
  await workToEnd(worker);
  expect(stateOf(store)).toMatchObject({
    status: 'done',
    tasks: [
      { title: 'Do a', status: 'completed' },
      { title: 'Do b', status: 'completed' },
    ],
  });
});

test('a step whose commands cannot be read before the run ends is repeated', async () => {
  const definition = definePrompt('tasks', (prompt) => {
    prompt.$`Work.`;
    prompt.defTaskList([{ task: 'Do a' }]);
  }) as unknown as PromptDefinition<never>;
  const store = createStore();
  const worker: Worker = { store, definition, model: () => planned([finish('1'), 'Done.']) };
  await work(worker);
  const run = {
    runId: 'run-1',
    definition,
    input: undefined as never,
    model: planned([finish('1'), 'Done.']),
  };
  await expect(
    advance(
      { ...run, events: [...store.events] },
      {
        append: async (events) => void store.events.push(...events),
        beforeEnd: async () => Promise.reject(new Error('The store is unavailable.')),
      },
    ),
  ).rejects.toThrow('The store is unavailable.');
  expect(stateOf(store).status).not.toBe('done');
  await workToEnd(worker);
  expect(stateOf(store)).toMatchObject({ status: 'done', tasks: [{ status: 'completed' }] });
});
