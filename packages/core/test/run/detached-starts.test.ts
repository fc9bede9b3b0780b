import { createRun, definePrompt, inProcess, tool, type Run } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { call } from '../support.ts';
import { after, atOnce, codeOf, nextEvent } from '../support/runs.ts';

const say = definePrompt('say', (prompt) => prompt.$`Say something.`);
const slow: ScriptedTurn = [{ text: 'one two three four', chunkSize: 4, delay: 5 }];

function open(turns: readonly ScriptedTurn[]): Run {
  return createRun(say, { model: scriptedModel(turns), executor: inProcess() });
}

test.for(['queue', 'parallel'] as const)(
  'a detached start settles after another start (%s) has replaced it',
  async (whenBusy) => {
    const run = open([slow, 'Two.']);
    const first = run.start();
    await nextEvent(run, 'text-delta');
    run.detach();
    expect(await run.start(undefined, { whenBusy })).toBe('Two.');
    expect(await first).toBe('one two three four');
    expect(run.getState()).toMatchObject({ status: 'done', text: 'Two.' });
  },
);

test('a detached start that cannot be followed settles, too', async () => {
  const { start } = inProcess();
  const run = createRun(say, { model: scriptedModel([slow, 'Two.']), executor: { start } });
  const first = run.start();
  await nextEvent(run, 'text-delta');
  run.detach();
  expect(await run.start(undefined, { whenBusy: 'parallel' })).toBe('Two.');
  expect(await codeOf(first)).toBe('interrupted');
});

test('a start in the background shows its approval in the state, and can be answered', async () => {
  let sent = 0;
  const mail = definePrompt('mail', (prompt) => {
    prompt.defTool('send', 'Sends.', z.object({}), () => (sent += 1), { needsApproval: true });
    prompt.$`Send a mail.`;
  });
  const calls: ScriptedTurn[] = [[call('send', {})], slow, 'Sent.'];
  const run = createRun(mail, { model: scriptedModel(calls), schedule: atOnce });
  const first = run.start();
  // asked before and after it has gone out of sight: both are one request
  await nextEvent(run, 'approval-request');
  const second = run.start(undefined, { whenBusy: 'parallel' });
  const [request] = run.getState().approvals;
  expect(request).toMatchObject({ toolName: 'send' });
  expect(run.getState()).toBe(run.getState());
  const told: number[] = [];
  run.subscribe(({ approvals }) => told.push(approvals.length));
  expect(await run.respondToApproval(request!.approvalId, { approved: true })).toEqual({ accepted: true });
  await after(5);
  expect(run.getState().approvals).toEqual([]);
  expect(told).toContain(0);
  expect([await second, await first, sent]).toEqual(['one two three four', 'Sent.', 1]);
});

test('a detached start gets answers of client tools from the page', async () => {
  const locate = tool('locate', 'Where the user is.', z.object({}), { outputSchema: z.string() });
  const where = definePrompt('where', (prompt) => prompt.$`Where?`, { tools: [locate] });
  const turns: ScriptedTurn[] = [[{ delay: 20 }, call('locate', {})], 'Two.', 'In Faro.'];
  const run = createRun(where, {
    model: scriptedModel(turns),
    schedule: atOnce,
    tools: { locate: () => 'Faro' },
  });
  const first = run.start();
  await nextEvent(run, 'step-start');
  expect(await run.start(undefined, { whenBusy: 'parallel' })).toBe('Two.');
  expect(await first).toBe('In Faro.');
});
