import { definePrompt } from '@cueline/core';
import { defineAgent } from '@cueline/core/agents';
import type { ScriptedTurn } from '@cueline/core/testing';
import { createMemoryLimits, createMemoryRuns, type PromptRouteOptions } from '@cueline/edge';
import type { UIMessage } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import { read } from '../stores/events.ts';
import {
  address,
  all,
  ask,
  endless,
  greet,
  idOf,
  looks,
  never,
  post,
  refusal,
  sends,
  testRoute,
} from './routes.ts';
import { createEventSource } from './sse.ts';
import { TestChat } from './test-chat.ts';

const talk = definePrompt('talk', (prompt) => greet.run(prompt, { name: 'all' }));
const textOf = (message: UIMessage | undefined) =>
  message?.parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('');
const setUp = (script: readonly ScriptedTurn[], options: Parameters<typeof testRoute>[1] = {}) =>
  testRoute(script, { definition: talk, ...options });
const slow: ScriptedTurn = [{ text: 'Hello' }, { delay: 400 }, { text: ' to you and everybody.' }];

describe('a stock chat of the AI SDK', () => {
  test('can run a prompt', async () => {
    const hub = setUp([looks, 'Hello.', 'Fine.']);
    const chat = new TestChat(hub);
    await chat.sendMessage({ text: 'Hi.' });
    expect(chat.error).toBeUndefined();
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(chat.lastMessage?.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'tool-look',
      'step-start',
      'text',
    ]);
    await chat.sendMessage({ text: 'How are you?' });
    expect(textOf(chat.lastMessage)).toBe('Fine.');
    expect(hub.model.calls[2]?.prompt.map(({ role }) => role)).toEqual([
      'user',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });

  test("receives the AI SDK's stream, and comments that keep the connection open", async () => {
    const hub = setUp(['Hello.']);
    const response = await hub.route(post({ messages: [said('Hi.')] }));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-vercel-ai-ui-message-stream': 'v1',
      'x-cueline-run': expect.stringMatching(/^run-/),
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    const sent = await all(createEventSource(response.body!));
    const data = sent.slice(1).map((event) => 'data' in event && event.data);
    expect(sent[0]).toEqual({ comment: true });
    expect(
      data.map((chunk) => (typeof chunk === 'object' ? (chunk as { type: string }).type : chunk)),
    ).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
      '[DONE]',
    ]);
  });

  test('can run an agent with the input in its body', async () => {
    const agent = defineAgent({ name: 'echo', instructions: 'Answer.' });
    const hub = testRoute(['Lisbon.'], { definition: agent });
    const chat = new TestChat(hub, { body: { input: 'Portugal?' } });
    await chat.sendMessage({ text: 'Go.' });
    expect(chat.error).toBeUndefined();
    expect(textOf(chat.lastMessage)).toBe('Lisbon.');
  });

  test('shows an approval and can respond', async () => {
    const hub = setUp([sends, 'Sent it.'], { options: { approval: true } });
    const chat = new TestChat(hub);
    await chat.sendMessage({ text: 'Send.' });
    const asked = chat.lastMessage?.parts.find((part) => part.type === 'tool-send');
    expect(asked).toMatchObject({ state: 'approval-requested', input: { to: 'Bob' } });
    await chat.addToolApprovalResponse({
      id: (asked as unknown as { approval: { id: string } }).approval.id,
      approved: true,
    });
    await expect.poll(() => textOf(chat.lastMessage)).toBe('Sent it.');
    expect(chat.messages).toHaveLength(2);
    expect(chat.lastMessage?.parts.find((part) => part.type === 'tool-send')).toMatchObject({
      state: 'output-available',
      output: 'sent to Bob',
    });
    expect(hub.events.filter(({ type }) => type === 'run-start')).toHaveLength(1);
  });

  test('can respond and resume at another instance', async () => {
    const store = createMemoryRuns();
    const here = setUp([sends, 'Sent it.'], { options: { approval: true }, store });
    const there = setUp([], { store });
    const chat = new TestChat(here);
    await chat.sendMessage({ text: 'Send.' });
    const back = new TestChat(there, { messages: chat.messages });
    const asked = back.lastMessage?.parts.find((part) => part.type === 'tool-send');
    await back.addToolApprovalResponse({
      id: (asked as unknown as { approval: { id: string } }).approval.id,
      approved: false,
      reason: 'Not now',
    });
    await expect.poll(() => textOf(back.lastMessage)).toBe('Sent it.');
    expect(back.lastMessage?.parts.find((part) => part.type === 'tool-send')).toMatchObject({
      state: 'output-denied',
    });
    expect(there.events).toEqual([]);
  });

  test('resumes a running answer at any instance, and nothing otherwise', async () => {
    const store = createMemoryRuns();
    const here = setUp([slow], { store });
    const there = setUp([], { store });
    const chat = new TestChat(here);
    const sending = chat.sendMessage({ text: 'Hi.' });
    await expect.poll(() => textOf(chat.lastMessage)).toBe('Hello');
    await chat.stop();
    await sending;
    const back = new TestChat(there, { messages: chat.messages });
    await back.resumeStream();
    expect(back.error).toBeUndefined();
    expect(back.messages).toHaveLength(2);
    expect(textOf(back.lastMessage)).toBe('Hello to you and everybody.');
    // what came back has the same message again
    await back.resumeStream();
    expect(back.messages).toHaveLength(2);

    const eve = new TestChat(there, { subject: 'eve' });
    await eve.resumeStream();
    expect([eve.messages, eve.error]).toEqual([[], undefined]);
    expect(there.asked.at(-1)).toEqual({ method: 'GET', status: 204 });
  });

  test('stops being served when it disconnects', async () => {
    const store = createMemoryRuns();
    const here = setUp([endless], { store });
    const there = setUp([], { store });
    const first = await here.route(post({ id: 'c', messages: [said('Hi.')] }));
    const read = vi.spyOn(store, 'read');
    const back = new Request(`${address}/c/stream`, { headers: { authorization: 'Bearer ada' } });
    const response = await there.route(back);
    const events = createEventSource(response.body!);
    await events.next();
    expect((await events.next()).value).toEqual({
      id: undefined,
      data: expect.objectContaining({ type: 'start' }),
    });
    const signals = read.mock.calls.map(([, , signal]) => signal.aborted);
    await events.return();
    expect([signals, read.mock.calls.map(([, , signal]) => signal.aborted)]).toEqual([[false], [true]]);
    await here.route(ask('DELETE', `?run=${first.headers.get('x-cueline-run')}`));
    await first.text();
  });

  test('ends the pending request with a new message', async () => {
    const hub = setUp([endless, 'Hello again.'], { limits: { concurrent: 1 } });
    const chat = new TestChat(hub);
    const first = chat.sendMessage({ text: 'Hi.' });
    await expect.poll(() => textOf(chat.lastMessage)).toBe('Wait');
    await chat.stop();
    await first;
    await chat.sendMessage({ text: 'Hi again.' });
    expect(textOf(chat.lastMessage)).toBe('Hello again.');
    expect(hub.events.flatMap((event) => (event.type === 'run-end' ? event.outcome : []))).toEqual([
      'stopped',
      'done',
    ]);
  });

  test.each([
    ['to one instance', 1],
    ['to two instances', 2],
  ])('has one run at a time for two simultaneous messages %s', async (_, count) => {
    const store = createMemoryRuns();
    const told: string[] = [];
    const onEvent: PromptRouteOptions['onEvent'] = (event) => {
      if ('runId' in event && event.type !== 'model-call') told.push(`${event.type} ${event.runId}`);
    };
    const limits = { concurrent: 1 };
    const limitStore = createMemoryLimits();
    const hubs = Array.from({ length: count }, () =>
      setUp([endless, endless, endless], { store, onEvent, limits, limitStore }),
    );
    // both see that nothing goes on, and begin
    const { find } = store;
    vi.spyOn(store, 'find').mockImplementation(async (which) => {
      const found = await find(which);
      await new Promise((resolve) => setTimeout(resolve, 10));
      return found;
    });
    const answers = await Promise.all(
      ['One.', 'Two.'].map((text, at) => hubs[at % count]!.route(post({ id: 'c', messages: [said(text)] }))),
    );
    const ids = answers.map(({ headers }) => headers.get('x-cueline-run'));
    expect([answers.map(({ status }) => status), new Set(ids).size]).toEqual([[200, 200], 2]);
    await expect.poll(() => told).toHaveLength(3);
    const [first, second] = [0, 1].map((at) => told[at * 2]!.split(' ')[1]);
    expect(told).toEqual([`run-start ${first}`, `run-end ${first}`, `run-start ${second}`]);
    expect(await store.find({ subject: 'ada', chat: 'c' })).toBe(second);
    expect(hubs.flatMap(({ model }) => model.calls.map(({ abortSignal }) => abortSignal?.aborted))).toEqual(
      expect.arrayContaining([true, false]),
    );
    await hubs[0]!.route(ask('DELETE', `?run=${second}`));
    await Promise.all(answers.map((answer) => answer.text()));
  });

  test('gets an error for too many simultaneous messages', async () => {
    const hub = setUp([endless]);
    const first = await hub.route(post({ id: 'c', messages: [said('One.')] }));
    const runId = first.headers.get('x-cueline-run')!;
    vi.spyOn(hub.store, 'create').mockResolvedValue({ runId });
    const response = await hub.route(post({ id: 'c', messages: [said('Two.')] }));
    expect(await refusal(response)).toMatchObject({ status: 409, code: 'conflict' });
    await first.text();
  });

  test('is stopped through the URL of its run, since its own stop only stops watching', async () => {
    const hub = setUp([endless]);
    const response = await hub.route(post({ id: 'c', messages: [said('Hi.')] }));
    const other = await hub.route(
      new Request(`${address}/c/stream`, { method: 'DELETE', headers: { authorization: 'Bearer eve' } }),
    );
    expect(other.status).toBe(204);
    expect(hub.events.map(({ type }) => type)).toEqual(['run-start']);
    await hub.route(
      new Request(`${address}/c/stream`, { method: 'DELETE', headers: { authorization: 'Bearer ada' } }),
    );
    expect(await response.text()).toContain('"type":"abort"');
  });

  test('can regenerate an answer', async () => {
    const hub = setUp(['One.', 'Two.']);
    const chat = new TestChat(hub);
    await chat.sendMessage({ text: 'Hi.' });
    await chat.regenerate();
    expect(chat.messages.map(textOf)).toEqual(['Hi.', 'Two.']);
  });

  test('receives the error of a failed and of a refused run', async () => {
    const hub = setUp([[{ throw: { message: 'No.', status: 400 } }]], { limits: { rpm: 1 } });
    const chat = new TestChat(hub);
    await chat.sendMessage({ text: 'Hi.' });
    expect(chat.error?.message).toContain('No.');
    await chat.sendMessage({ text: 'Hi.' });
    expect(chat.error?.message).toContain('You have reached the limit of 1 runs per minute');
  });

  test('sends back a failed attempt, which the model does not read', async () => {
    const half: ScriptedTurn = [{ text: 'Half a sent' }, { error: { message: 'reset' } }];
    const hub = setUp([half, 'Whole.', 'Fine.'], { options: { streamRetries: 1 } });
    const chat = new TestChat(hub);
    await chat.sendMessage({ text: 'Hi.' });
    expect(chat.lastMessage?.parts.map(({ type }) => type)).toContain('data-retry');
    await chat.sendMessage({ text: 'How are you?' });
    expect(textOf(chat.lastMessage)).toBe('Fine.');
    const sent = JSON.stringify(hub.model.calls[2]?.prompt);
    expect(sent).toContain('Whole.');
    expect(sent).not.toContain('Half');
  });

  test('gets an error if its answer cannot be delivered', async () => {
    const hub = setUp([]);
    const approval = { id: 'gone', approved: true };
    const part = { type: 'tool-send', toolCallId: 'c', state: 'approval-responded', input: {}, approval };
    const messages = [said('Send.'), { id: 'a', role: 'assistant', parts: [part] }];
    const response = await hub.route(post({ id: 'c', trigger: 'submit-message', messageId: 'a', messages }));
    expect(await refusal(response)).toMatchObject({ status: 409, code: 'conflict' });
    expect(hub.model.calls).toHaveLength(0);
  });

  describe('whose response cannot be delivered', () => {
    const respond = (approvalId: string): Request => {
      const approval = { id: approvalId, approved: true };
      const part = { type: 'tool-send', toolCallId: 'c', state: 'approval-responded', input: {}, approval };
      const messages = [said('Send.'), { id: 'a', role: 'assistant', parts: [part] }];
      return post({ id: 'chat-1', trigger: 'submit-message', messageId: 'a', messages });
    };
    const waiting = async () => {
      const store = createMemoryRuns();
      const here = setUp([sends, 'Sent it.'], { options: { approval: true }, store });
      await new TestChat(here).sendMessage({ text: 'Send.' });
      return { store, here, there: setUp([], { store }) };
    };

    test('leaves nothing that reads its run', async () => {
      const { store, there, here } = await waiting();
      const read = vi.spyOn(store, 'read');
      expect(await refusal(await there.route(respond('other')))).toMatchObject({ status: 409 });
      expect(read).toHaveBeenCalled();
      expect(read.mock.calls.map(([, , signal]) => signal.aborted)).toEqual(read.mock.calls.map(() => true));
      expect(here.events.map(({ type }) => type)).not.toContain('run-end');
    });

    test('is not told that its run is gone if only the store fails', async () => {
      const { store, there, here } = await waiting();
      vi.spyOn(store, 'read').mockImplementation(() => {
        throw new Error('down');
      });
      expect(await refusal(await there.route(respond('other')))).toMatchObject({
        status: 503,
        code: 'unavailable',
      });
      expect(here.events.map(({ type }) => type)).not.toContain('run-end');
    });
  });

  test.each([
    [{ trigger: 'other' }, 'invalid_body'],
    [{ id: 7 }, 'invalid_body'],
    [{ messageId: {} }, 'invalid_body'],
    [{ model: 'openai:x' }, 'unsupported_field'],
    [
      { messages: [{ id: 'd', role: 'assistant', parts: [{ type: 'data-tasks', data: [{}] }] }, said('x')] },
      'invalid_body',
    ],
  ])('is refused if its request is forbidden: %j', async (more, code) => {
    const hub = setUp(['Never.']);
    const response = await hub.route(
      post({ id: 'c', trigger: 'submit-message', messages: [said('Hi.')], ...more }),
    );
    expect(await refusal(response)).toMatchObject({ status: 400, code });
    expect(hub.model.calls).toHaveLength(0);
  });

  test('does not affect a run of viaRoute', async () => {
    const hub = setUp(['Hi.']);
    const response = await hub.route(post({ prompt: 'talk', messages: [said('Hi.')] }));
    const events = (await all(createEventSource(response.body!))).slice(1);
    const log = events.map((event) => ('data' in event ? event.data : undefined)) as never[];
    expect(idOf(log)).toBe(response.headers.get('x-cueline-run'));
    expect(await (await hub.route(ask('GET', `?run=${idOf(log)}&after=${log.length - 2}`))).text()).toContain(
      'run-end',
    );
    expect(await all(read(hub.store, idOf(log), -1, never()))).toEqual(log);
  });
});

function said(text: string): UIMessage {
  return { id: `said-${text}`, role: 'user', parts: [{ type: 'text', text }] };
}
