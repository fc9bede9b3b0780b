import { createRun, definePrompt, runPrompt, tool, type RunEvent, type RunHandle } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call } from '../support.ts';

const amount = z.object({ amount: z.number() });
const shop = definePrompt(
  'shop',
  (prompt) => {
    prompt.defTool('pay', 'Pays', amount, ({ amount }) => `paid ${amount}`, { needsApproval: true });
    prompt.defTaskList([{ task: 'Pay' }, { task: 'Pack' }]);
    prompt.$`Buy it.`;
  },
  { tools: [tool('pickBag', 'Lets the user pick a bag', z.object({}), { outputSchema: z.string() })] },
);

const turns = () =>
  scriptedModel([
    [call('pay', { amount: 3 }), call('pickBag', {})],
    ...Array.from({ length: 8 }, () => 'Done.'),
  ]);

/** The same prompt, in progress, by each of the two functions. */
const ways: [string, () => Promise<RunHandle>][] = [
  ['runPrompt', async () => (await runPrompt(shop, { model: turns() })).run],
  [
    'createRun',
    async () => {
      const run = createRun(shop, { model: turns() });
      void run.start();
      return run;
    },
  ],
];

describe.each(ways)('the run of %s', (_name, begin) => {
  test('can be watched, answered and edited in the same way', async () => {
    const run = await begin();
    const heard: RunEvent[] = [];
    const states = new Set<string>();
    run.listen((event) => heard.push(event));
    run.subscribe(({ status }) => void states.add(status));
    const read: RunEvent[] = [];
    for await (const event of run.events()) {
      read.push(event);
      if (event.type === 'approval-request') {
        const edited = run.edit({ type: 'rename', taskId: 'task-2', title: 'Wrap' });
        expect(edited).toBeInstanceOf(Promise);
        expect(await edited).toEqual({ accepted: true });
        const { approvalId } = event;
        expect(await run.respondToApproval('nothing', { approved: true })).toMatchObject({ accepted: false });
        expect(await run.respondToApproval(approvalId, { approved: true })).toEqual({ accepted: true });
      }
      if (event.type === 'client-tool-request') {
        const { clientCallId } = event;
        expect(await run.claimClientTool(clientCallId, 'page-1')).toEqual({ accepted: true });
        expect(await run.claimClientTool(clientCallId, 'page-2')).toMatchObject({ accepted: false });
        expect(await run.respondToClientTool(clientCallId, { output: 'blue' })).toEqual({ accepted: true });
      }
    }
    const state = await run.finished;
    expect(state).toBe(run.getState());
    expect(state.toolCalls.map(({ output }) => output).slice(0, 2)).toEqual(['paid 3', 'blue']);
    expect(state.tasks[1]?.title).toBe('Wrap');
    expect(read).toEqual(run.log());
    expect(heard).toEqual(run.log().slice(-heard.length));
    expect(run.at(-1).status).toBe('idle');
    expect(run.at(state.seq)).toEqual(state);
    expect(run.id).not.toBe('');
    const late: RunEvent[] = [];
    for await (const event of run.events(state.seq - 1)) late.push(event);
    expect(late).toEqual(run.log().slice(-1));
  });

  test('stops, and finished never rejects', async () => {
    const run = await begin();
    const { finished } = run;
    for await (const { type } of run.events()) if (type === 'approval-request') run.stop();
    expect(await finished).toMatchObject({ status: 'stopped', approvals: [{ withdrawn: true }] });
    expect(await run.edit({ type: 'rename', taskId: 'task-1', title: 'No' })).toMatchObject({
      accepted: false,
    });
    expect(await run.finished).toBe(run.getState());
  });
});

test('a run of createRun has every member of a run of runPrompt', async () => {
  const { run } = await runPrompt(shop, { model: turns() });
  const members = Object.keys(run);
  expect(Object.keys(createRun(shop))).toEqual(expect.arrayContaining(members));
  run.stop();
});
