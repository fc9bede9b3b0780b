import { definePrompt, inProcess, viaRoute, type Executor } from '@cueline/core';
import { PromptTransport } from '@cueline/core/ai-sdk';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { UIMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import { sent } from '../sent-requests.ts';
import { call, json } from '../support.ts';
import {
  answered,
  approvalsOf,
  approvingChat,
  banker,
  callsOf,
  collect,
  keptRunIds,
  listening,
  PlainChat,
  respond,
  submission,
  textOf,
  type Call,
} from '../support/chat.ts';
import { createHub, cutAfter } from '../support/memory-route.ts';
import { after } from '../support/runs.ts';

const pays: readonly ScriptedTurn[] = [['Let me see. ', call('pay', { amount: 50 })], 'Done.'];
const twoPayments: ScriptedTurn = [call('pay', { amount: 1 }), call('pay', { amount: 2 })];

/** A chat whose run has asked for `count` approvals. */
async function asked(turns = pays, count = 1) {
  const model = scriptedModel(turns);
  const executor = listening();
  const { definition, paid } = banker();
  const transport = new PromptTransport(definition, { model, executor });
  const chat = approvingChat({ transport });
  await chat.sendMessage({ text: 'Pay.' });
  expect(chat.status).toBe('ready');
  await expect.poll(() => approvalsOf(chat)).toHaveLength(count);
  expect(paid).toEqual([]);
  return { chat, transport, model, executor, paid };
}

test.each([[true], [false], [false, 'too much']])(
  'The same run continues in the same message, and the next turn has no trace of the approval (approved: %s, reason: %s)',
  async (approved: boolean, reason?: string) => {
    const { chat, model, executor, paid } = await asked([...pays, 'Bye.']);
    const ids = chat.messages.map(({ id }) => id);
    expect(callsOf(chat)).toMatchObject([
      { type: 'tool-pay', input: { amount: 50 }, state: 'approval-requested' },
    ]);
    await respond(chat, approved, reason);
    await answered(chat, 'Let me see. Done.');
    expect(paid).toEqual(approved ? [50] : []);
    expect(callsOf(chat)).toMatchObject([
      approved
        ? { state: 'output-available', output: 'paid 50', approval: { approved } }
        : { state: 'output-denied', approval: { approved, ...(reason !== undefined && { reason }) } },
    ]);
    if (reason !== undefined)
      expect(sent(model)[1]?.messages.at(-1)).toContain('did not approve it: too much');
    expect(chat.messages.map(({ id }) => id)).toEqual(ids);
    expect(chat.messages[1]!.parts.map(({ type }) => type).join(' ')).toBe(
      'step-start text tool-pay step-start text',
    );
    expect([executor.requests.length, model.calls.length]).toEqual([1, 2]);
    await chat.sendMessage({ text: 'Thanks.' });
    expect(textOf(chat.messages.at(-1))).toBe('Bye.');
    expect(sent(model)[2]?.messages).toEqual([
      'user: Pay.',
      'assistant: Let me see. ',
      'assistant calls pay {"amount":50}',
      `pay ${approved ? 'answers paid 50' : `fails: ${reason ?? 'Tool call execution denied.'}`}`,
      'assistant: Done.',
      'user: Thanks.',
    ]);
    expect(JSON.stringify(model.calls[2])).not.toContain('approval');
  },
);

test.each<[string, readonly ScriptedTurn[], paid: number[], states: string[]]>([
  [
    'Approvals one after the other belong to one run',
    [[call('pay', { amount: 1 })], [call('pay', { amount: 2 })], 'Done.'],
    [1, 2],
    ['output-available', 'output-available'],
  ],
  [
    'The same call twice in one step is asked once',
    [[call('pay', { amount: 1 }, 'a'), call('pay', { amount: 1 }, 'b')], 'Done.'],
    [1],
    ['output-available', 'output-available'],
  ],
  [
    'The result of a slower call beside it is there when the stream closes',
    [[call('pay', { amount: 1 }), call('look', { ms: 40 })], 'Done.'],
    [1],
    ['output-available', 'output-available'],
  ],
])('%s', async (_title, turns, paid, states) => {
  const { chat, executor, paid: done } = await asked(turns);
  if (callsOf(chat).some(({ type }) => type === 'tool-look')) {
    expect(callsOf(chat).map(({ state }) => state)).toEqual(['approval-requested', 'output-available']);
  }
  for (const _ of paid) {
    await expect.poll(() => [approvalsOf(chat).length, chat.status]).toEqual([1, 'ready']);
    await respond(chat);
  }
  await answered(chat, 'Done.');
  expect([done, executor.requests.length]).toEqual([paid, 1]);
  expect(callsOf(chat).map(({ state }) => state)).toEqual(states);
});

test('Two approvals at once are both answered before the run continues', async () => {
  const { chat, paid, executor } = await asked([twoPayments, 'Done.'], 2);
  await respond(chat);
  await after(20);
  expect([paid, chat.status]).toEqual([[], 'ready']);
  await respond(chat, false);
  await answered(chat, 'Done.');
  expect([paid, executor.requests.length]).toEqual([[1], 1]);
  expect(callsOf(chat).map(({ state }) => state)).toEqual(['output-available', 'output-denied']);
});

test('A client that sends one of two answers leaves the other call waiting', async () => {
  const { definition, paid } = banker();
  const transport = new PromptTransport(definition, { model: scriptedModel([twoPayments, 'Done.']) });
  const chat = new PlainChat({ transport });
  await chat.sendMessage({ text: 'Pay.' });
  await expect.poll(() => approvalsOf(chat)).toHaveLength(2);
  await respond(chat);
  await chat.sendMessage();
  expect(paid).toEqual([1]);
  expect(callsOf(chat).map(({ state }) => state)).toEqual(['output-available', 'approval-requested']);
  await respond(chat);
  await chat.sendMessage();
  expect(paid).toEqual([1, 2]);
  expect(textOf(chat.messages[1])).toBe('Done.');
});

test('An answer that is given while the stream is open is sent when the stream closes', async () => {
  const { definition, paid } = banker();
  const model = scriptedModel([[call('pay', { amount: 1 }), call('look', { ms: 60 })], 'Done.']);
  const chat = approvingChat({ transport: new PromptTransport(definition, { model }) });
  void chat.sendMessage({ text: 'Pay.' });
  await expect.poll(() => approvalsOf(chat)).toHaveLength(1);
  expect(chat.status).toBe('streaming');
  await respond(chat);
  await answered(chat, 'Done.');
  expect(paid).toEqual([1]);
});

test.each([true, false])("An agent's approval is a part of its own (approved: %s)", async (approved) => {
  const { chat, paid, model } = await asked([
    [call('clerk', { bill: 7 })],
    [call('transfer', { amount: 70 })],
    'Bill paid.',
    'Done.',
    'Bye.',
  ]);
  expect(callsOf(chat)).toMatchObject([
    { type: 'tool-clerk' },
    { type: 'dynamic-tool', toolName: 'transfer', input: { amount: 70 }, state: 'approval-requested' },
  ]);
  await respond(chat, approved);
  await answered(chat, 'Done.');
  expect(paid).toEqual(approved ? [70] : []);
  expect(callsOf(chat)).toMatchObject([
    { state: 'output-available', output: 'Bill paid.' },
    approved ? { state: 'output-available', output: 'transferred' } : { state: 'output-denied' },
  ]);
  await chat.sendMessage({ text: 'Thanks.' });
  expect(sent(model).at(-1)?.messages).toEqual([
    'user: Pay.',
    'assistant calls clerk {"bill":7}',
    'clerk answers Bill paid.',
    'assistant: Done.',
    'user: Thanks.',
  ]);
});

test('A chat that is shown again asks again', async () => {
  const { definition, paid } = banker();
  const id = 'shown again';
  const model = scriptedModel(pays);
  const first = new PlainChat({ id, transport: new PromptTransport(definition, { model }) });
  await first.sendMessage({ text: 'Pay.' });
  const transport = new PromptTransport(definition);
  const again = approvingChat({ id, transport, messages: transport.messages(id) });
  await again.resumeStream();
  expect(again.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  await respond(again);
  await answered(again, 'Let me see. Done.');
  expect(paid).toEqual([50]);
});

test('A new message instead of an answer ends the call, and a later answer is an error', async () => {
  const { chat, paid, model } = await asked([...pays.slice(0, 1), 'Then not.']);
  const [id] = approvalsOf(chat);
  await chat.sendMessage({ text: 'Forget it.' });
  expect(textOf(chat.messages.at(-1))).toBe('Then not.');
  expect(sent(model)[1]?.messages).toContain('pay fails: The run ended before this call had a result.');
  await chat.addToolApprovalResponse({ id: id!, approved: true });
  await chat.sendMessage();
  expect(chat.error?.message).toContain('The run that asked for this response no longer exists');
  expect(paid).toEqual([]);
});

test('After a reload, an answer is sent once and runs nothing, and the chat can continue', async () => {
  const { chat: before } = await asked();
  const { definition, paid } = banker();
  const executor = listening();
  const chat = approvingChat({
    messages: json(before.messages),
    transport: new PromptTransport(definition, { model: scriptedModel(['Shall I try again?']), executor }),
  });
  await respond(chat);
  await expect.poll(() => chat.status).toBe('error');
  expect(chat.error).toMatchObject({ code: 'interrupted' });
  expect([paid, executor.requests]).toEqual([[], []]);
  await chat.sendMessage({ text: 'Well?' });
  expect(textOf(chat.messages.at(-1))).toBe('Shall I try again?');
  expect(paid).toEqual([]);
});

test('Messages without an answer start nothing, and the call keeps waiting', async () => {
  const { chat, executor, transport, paid } = await asked();
  const before = json(chat.messages);
  await chat.sendMessage();
  expect(json(chat.messages)).toEqual(before);
  expect([chat.status, executor.requests.length, paid]).toEqual(['ready', 1, []]);
  transport.stop(chat.id);
});

test('The stream after an answer contains only the parts after it', async () => {
  const { chat, transport } = await asked([[call('pay', { amount: 1 }), call('look', { ms: 20 })], 'Done.']);
  const [user, answer] = json(chat.messages);
  const part = answer!.parts.find(({ type }) => type === 'tool-pay') as unknown as Call;
  Object.assign(part, { state: 'approval-responded', approval: { ...part.approval, approved: true } });
  const stream = await transport.sendMessages({
    ...submission(chat.id, [user!, answer!]),
    messageId: answer!.id,
  });
  expect((await collect(stream)).map(({ type }) => type)).toEqual([
    'tool-approval-response',
    'tool-output-available',
    'finish-step',
    'start-step',
    'text-start',
    'text-delta',
    'text-end',
    'finish-step',
    'finish',
  ]);
});

describe('executors', () => {
  /** A chat on `executor` whose first approval is answered. */
  async function approvedOn(executor: Executor) {
    const { definition, paid } = banker();
    const transport = new PromptTransport(definition, { model: scriptedModel(pays), executor });
    const chat = approvingChat({ transport });
    await chat.sendMessage({ text: 'Pay.' });
    await respond(chat);
    return { chat, paid, transport };
  }
  const submits = ({ statuses }: PlainChat) => statuses.filter((status) => status === 'submitted').length;

  test('The stream waits for an answer that arrives late', async () => {
    const own = inProcess();
    const { chat, paid } = await approvedOn({
      ...own,
      async send(runId, command) {
        setTimeout(() => void own.send!(runId, command), 40);
        return { accepted: true };
      },
    });
    await answered(chat, 'Let me see. Done.');
    expect([paid, submits(chat)]).toEqual([[50], 2]);
  });

  test('An executor that takes no commands is an error, and nothing is sent again', async () => {
    const { chat, transport } = await approvedOn({ start: inProcess().start });
    await expect.poll(() => chat.status).toBe('error');
    expect(chat.error?.message).toBe('This executor accepts no commands.');
    expect(submits(chat)).toBe(2);
    transport.stop(chat.id);
  });
});

describe('over a route', () => {
  const address = 'https://example.com/bank';

  test('An approval survives a connection that breaks, and a second turn follows', async () => {
    const { definition, paid } = banker();
    const model = scriptedModel([[call('pay', { amount: 50 })], 'Done.', 'Bye.']);
    const hub = createHub(definition, {
      model,
      tamper: (body, connection) => (connection === 0 ? cutAfter(body, 4) : body),
    });
    const executor = viaRoute(address, { fetch: hub.fetch, retryDelay: () => 0 });
    const chat = approvingChat({ transport: new PromptTransport(definition, { executor }) });
    await chat.sendMessage({ text: 'Pay.' });
    expect(hub.asked().slice(0, 2)).toEqual(['POST', 'GET 3']);
    await respond(chat);
    await answered(chat, 'Done.');
    expect(paid).toEqual([50]);
    await chat.sendMessage({ text: 'Thanks.' });
    expect(chat.messages.map(textOf)).toEqual(['Pay.', 'Done.', 'Thanks.', 'Bye.']);
  });

  test('After a reload the answer reaches the run that asked, unless the server has lost it', async () => {
    const { definition, paid } = banker();
    const model = scriptedModel([[call('pay', { amount: 50 })], 'Done.']);
    const hub = createHub(definition, { model });
    const { kept, runIds } = keptRunIds();
    // all that a page has is made anew by a reload
    const reload = (messages: UIMessage[]) =>
      approvingChat({
        id: 'reload',
        messages: json(messages),
        transport: new PromptTransport(definePrompt('banker', definition.run), {
          executor: viaRoute(address, { fetch: hub.fetch, retryDelay: () => 0 }),
          runIds,
        }),
      });
    const before = reload([]);
    await before.sendMessage({ text: 'Pay.' });
    const chat = reload(before.messages);
    await respond(chat);
    await answered(chat, 'Done.');
    expect([paid, model.calls.length, kept.size]).toEqual([[50], 2, 0]);
    const late = reload(before.messages);
    kept.set('cueline:chat:reload', 'unknown');
    await respond(late);
    await expect.poll(() => late.status).toBe('error');
    expect(late.error?.message).toContain('The run that asked for this response no longer exists');
    expect(paid).toEqual([50]);
  });
});
