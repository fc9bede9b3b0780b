import { createRun, definePrompt, type PromptDefinition, type RunEvent } from '@cueline/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { json } from '../support.ts';
import { mcp, modelOf, says, type Answer } from '../support/any-answer.ts';
import {
  approval,
  createStore,
  stateOf,
  work,
  workToEnd,
  workUntilWaiting,
  type Worker,
} from '../support/durable-runs.ts';

const about = { toolName: 'mcp.pay', providerExecuted: true, dynamic: true } as const;
/** A provider that asks before it makes two calls of its MCP server. */
const asks: Answer = [
  ...says('Let me pay.'),
  { type: 'tool-call', toolCallId: 'a', input: '{"amount":5}', ...about },
  { type: 'tool-approval-request', toolCallId: 'a', approvalId: 'mcpr_a' },
  { type: 'tool-call', toolCallId: 'b', input: '{"amount":6}', ...about },
  { type: 'tool-approval-request', toolCallId: 'b', approvalId: 'mcpr_b' },
];
const paid: Answer = [
  { type: 'tool-call', toolCallId: 'a', input: '{"amount":5}', ...about },
  { type: 'tool-result', toolCallId: 'a', result: { paid: 5 }, ...about },
  ...says('Paid.'),
];
const pay = definePrompt('pay', (prompt) => prompt.$`Pay.`);

const approved = { type: 'approval-response', approvalId: 'mcpr_a', response: { approved: true } } as const;
const refused = {
  type: 'approval-response',
  approvalId: 'mcpr_b',
  response: { approved: false, reason: 'too much' },
} as const;

type Sent = { calls: { prompt: unknown }[] };

test('a run waits for approvals that the provider requests, and its next request has the responses', async () => {
  const here = modelOf([asks, paid]);
  const run = createRun(pay, { model: here, options: { tools: mcp } });
  const done = run.start();
  await expect.poll(() => run.getState().approvals).toHaveLength(2);
  for (const { approvalId, response } of [approved, refused])
    await run.respondToApproval(approvalId, response);
  await done;

  const whole = createStore();
  const options = { tools: mcp } as Worker['options'];
  const models = [modelOf([asks]), modelOf([paid])];
  const first: Worker = { store: whole, definition: pay, model: () => models[0]!, options };
  const waits = { status: 'waiting', approvalIds: ['mcpr_a', 'mcpr_b'], clientCallIds: [] };
  expect(await work(first)).toEqual(waits);
  const later: Worker = { ...first, model: () => models[1]! };
  expect(await work(later)).toEqual(waits);
  // the provider would not run the call with these
  expect(await work(later, [{ ...approved, response: { approved: true, input: { amount: 1 } } }])).toEqual(
    waits,
  );
  expect(await work(later, [refused])).toEqual({ ...waits, approvalIds: ['mcpr_a'] });
  expect(await work(later, [approved])).toEqual({ status: 'done' });
  expect(json((models[1] as Sent).calls[0]?.prompt)).toEqual(json((here as Sent).calls[1]?.prompt));
  expect(stateOf(whole)).toMatchObject({ status: 'done', result: 'Paid.' });
  expect(json(stateOf(whole).messages.at(-1)?.parts)).toEqual(json(run.getState().messages.at(-1)?.parts));
});

test('a process that crashes before the provider’s request is stored asks the model again', async () => {
  const options = { tools: mcp } as Worker['options'];
  const whole = createStore();
  await work({ store: whole, definition: pay, model: () => modelOf([asks]), options });
  for (let length = 0; length <= whole.events.length; length += 1) {
    const store = createStore();
    const worker: Worker = { store, definition: pay, model: () => modelOf([asks]), options };
    store.failsAt = length;
    await work(worker);
    store.failsAt = Infinity;
    await work(worker);
    const asked = store.events.filter(({ type }: RunEvent) => type === 'approval-request');
    expect(asked, `after ${length}`).toHaveLength(2);
    const end = modelOf([paid]);
    await workToEnd({ ...worker, model: () => end }, [approved, refused]);
    expect(stateOf(store), `after ${length}`).toMatchObject({ status: 'done', result: 'Paid.' });
    expect((end as Sent).calls).toHaveLength(1);
  }
});

test('an agent inside a tool waits for its provider, too', async () => {
  const definition = definePrompt('parent', (prompt) => {
    prompt.$`Ask the payer.`;
    prompt.defAgent('payer', 'Pays', z.object({}), (_args, inner) => inner.$`Pay.`, { tools: mcp });
  }) as unknown as PromptDefinition<never>;
  const call: Answer = [{ type: 'tool-call', toolCallId: 'c', toolName: 'payer', input: '{}' }];
  const store = createStore();
  const worker: Worker = { store, definition, model: () => modelOf([call, asks]) };
  await work(worker);
  const waits = { status: 'waiting', approvalIds: ['mcpr_a', 'mcpr_b'], clientCallIds: [] };
  expect(await work({ ...worker, model: () => modelOf([]) })).toEqual(waits);
  await workToEnd({ ...worker, model: () => modelOf([paid]) }, [approved, refused]);
  await workToEnd({ ...worker, model: () => modelOf([says('Done.')]) });
  expect(stateOf(store).agents).toMatchObject([{ status: 'done', text: expect.stringContaining('Paid.') }]);
});

test('an agent still waits for its provider after another call of the run has its answer', async () => {
  const definition = definePrompt('parent', (prompt) => {
    prompt.$`Ask the payer.`;
    prompt.defAgent('payer', 'Pays', z.object({}), (_args, inner) => inner.$`Pay.`, { tools: mcp });
    prompt.defTool('send', 'Send', z.object({}), () => 'sent', { needsApproval: true });
  }) as unknown as PromptDefinition<never>;
  const called: Answer = [
    { type: 'tool-call', toolCallId: 'c', toolName: 'payer', input: '{}' },
    { type: 'tool-call', toolCallId: 'd', toolName: 'send', input: '{}' },
  ];
  const store = createStore();
  const worker: Worker = { store, definition, model: () => modelOf([called, asks]) };
  const [sending, ...others] = (await workUntilWaiting(worker)) as [string, string, string];
  expect(others).toEqual(['mcpr_a', 'mcpr_b']);
  const none = { ...worker, model: () => modelOf([]) };
  const waits = { status: 'waiting', approvalIds: others, clientCallIds: [] };
  expect(await work(none, [approval(sending)])).toEqual(waits);
  expect(await work(none, [refused])).toEqual({ ...waits, approvalIds: ['mcpr_a'] });
  const end = modelOf([paid, says('Done.')]);
  await workToEnd({ ...worker, model: () => end }, [approved]);
  const state = stateOf(store);
  expect(state).toMatchObject({ status: 'done', result: 'Done.' });
  expect(state.toolCalls.map(({ output }) => output)).toEqual(['Paid.', 'sent']);
  expect(JSON.stringify((end as Sent).calls[0]?.prompt)).toMatch(/mcpr_a.*mcpr_b|mcpr_b.*mcpr_a/);
});
