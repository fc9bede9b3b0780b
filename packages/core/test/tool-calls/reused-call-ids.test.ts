// A model, or the server between it and the run, may use the id of an earlier call again.
import { definePrompt, type PromptConfig, type Prompt } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, go } from '../support.ts';
import { approve, play } from '../support/approvals.ts';
import { approval, stateOf, work, workerFor, type Worker } from '../support/durable-runs.ts';

type ToolApproval = NonNullable<NonNullable<PromptConfig['options']>['toolApproval']>;

/** A prompt with a tool that reads, and one that sends mail once it is approved. */
function mailer(): { source: (prompt: Prompt) => void; sent: string[] } {
  const sent: string[] = [];
  const source = go((prompt) => {
    prompt.defTool('readFile', '', z.object({}), () => 'read', { effect: 'read' });
    prompt.defTool('sendMail', '', z.object({ to: z.string() }), ({ to }) => void sent.push(to), {
      effect: 'external',
      needsApproval: true,
    });
  });
  return { source, sent };
}

const read = [call('readFile', {}, 'call_0')];
const send = (to: string) => [call('sendMail', { to }, 'call_0')];

const asObject: ToolApproval = { readFile: 'approved' };
const asFunction: ToolApproval = ({ toolCall }) =>
  toolCall.toolName === 'readFile' ? 'approved' : undefined;

describe.each([
  ['an object', asObject],
  ['a function', asFunction],
])('options.toolApproval as %s approves a call', (_what, toolApproval) => {
  test('and a call of another tool with the same id still asks', async () => {
    const { source, sent } = mailer();
    const { state } = await play(
      source,
      [read, send('Ada'), 'Done.'],
      () => {
        expect(sent).toEqual([]);
        return { approved: true };
      },
      { toolApproval },
    );
    expect(state.status).toBe('done');
    expect(state.approvals.map(({ toolName, input }) => [toolName, input])).toEqual([
      ['sendMail', { to: 'Ada' }],
    ]);
    expect(sent).toEqual(['Ada']);
  });

  test('and a call of another tool with the same id does not run if it is refused', async () => {
    const { source, sent } = mailer();
    const { state } = await play(source, [read, send('Ada'), 'Then not.'], () => ({ approved: false }), {
      toolApproval,
    });
    expect(state).toMatchObject({ status: 'done', text: 'Then not.' });
    expect(state.toolCalls.at(-1)).toMatchObject({ toolName: 'sendMail', state: 'output-error' });
    expect(sent).toEqual([]);
  });
});

test('a request of options.toolApproval for one call does not ask about a call of another tool with its id', async () => {
  const { source } = mailer();
  const { state } = await play(source, [send('Ada'), read, 'Done.'], approve, {
    toolApproval: { sendMail: { type: 'user-approval', reason: 'It costs money.' } },
  });
  expect(state.approvals).toMatchObject([{ toolName: 'sendMail', reason: 'It costs money.' }]);
  expect(state).toMatchObject({ status: 'done', text: 'Done.' });
});

test('a call with the id of an approved call asks in a durable run, too', async () => {
  const { source, sent } = mailer();
  const options = { toolApproval: asObject } as Worker['options'];
  const definition = definePrompt('mailer', source);
  const worker = workerFor(definition, [read, send('Ada'), 'Done.'], { options });
  expect(await work(worker)).toEqual({ status: 'next' });
  const waiting = await work(worker);
  if (waiting.status !== 'waiting') throw new Error(waiting.status);
  expect(sent).toEqual([]);
  await work(worker, [approval(waiting.approvalIds[0]!)]);
  expect(sent).toEqual(['Ada']);
  expect(stateOf(worker.store).approvals).toHaveLength(1);
});
