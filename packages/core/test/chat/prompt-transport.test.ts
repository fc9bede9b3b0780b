import {
  CuelineError,
  definePrompt,
  inProcess,
  runPrompt,
  viaRoute,
  type Executor,
  type RunEvent,
  type RunRequest,
} from '@cueline/core';
import {
  PromptTransport,
  type ChatCall,
  type PromptUIMessage,
  type RunIds,
  toUIMessageStream,
} from '@cueline/core/ai-sdk';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import {
  createUIMessageStreamResponse,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithToolCalls,
  readUIMessageStream,
  tool as aiTool,
  type ToolSet,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent.ts';
import { json } from '../support.ts';
import { approvingChat, PlainChat } from '../support/chat.ts';
import { createHub, cutAfter } from '../support/hub.ts';

const talk = definePrompt('talk', (prompt) => {
  prompt.defSystem('role', 'You are brief.');
  prompt.defTool('weather', 'Weather', z.object({ city: z.string() }), ({ city }) => `${city}: clear`);
});

const call = (name: string, input: unknown = {}, id?: string) => ({
  toolCall: { name, input, ...(id === undefined ? {} : { id }) },
});

test.each([
  [{ onAbrot: 'detach' }, 'PromptTransport has no "onAbrot". Did you mean onAbort?'],
  [
    { temperature: 0.5 },
    'temperature is an option: new PromptTransport(prompt, { options: { temperature: … } }).',
  ],
])('%j is refused with the first message: %s', async (settings, message) => {
  const transport = new PromptTransport(talk, settings as never);
  const said: UIMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
  const asked = transport.sendMessages({
    trigger: 'submit-message',
    chatId: 'c',
    messageId: undefined,
    messages: [said],
    abortSignal: undefined,
  });
  await expect(asked).rejects.toMatchObject({ code: 'invalid_options', message });
});

/** A prompt whose tools ask before they run, and what they did. */
function banker() {
  const paid: number[] = [];
  const definition = definePrompt('banker', (prompt) => {
    prompt.defTool(
      'pay',
      'Pays',
      z.object({ amount: z.number() }),
      ({ amount }) => {
        paid.push(amount);
        return `paid ${amount}`;
      },
      { needsApproval: true },
    );
    prompt.defTool('look', 'Looks', z.object({ ms: z.number() }), async ({ ms }) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return 'seen';
    });
    prompt.defAgent('clerk', 'Pays bills', z.object({ bill: z.number() }), ({ bill }, agent) => {
      agent.defTool(
        'transfer',
        'Transfers',
        z.object({ amount: z.number() }),
        ({ amount }) => {
          paid.push(amount);
          return 'transferred';
        },
        { needsApproval: true },
      );
      agent.$`Pay bill ${bill}.`;
    });
  });
  return { definition, paid };
}

const text = (message: UIMessage | undefined): string =>
  (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');

type Call = { toolCallId: string; state: string; approval?: { id: string }; [key: string]: unknown };

const calls = (chat: { messages: UIMessage[] }): Call[] =>
  chat.messages.flatMap(({ parts }) => parts.filter((part) => 'toolCallId' in part)) as Call[];

const approvals = (chat: { messages: UIMessage[] }): string[] =>
  calls(chat).flatMap(({ state, approval }) => (state === 'approval-requested' ? [approval!.id] : []));

async function chunksOf(stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const user = (id: string, said: string): UIMessage => ({
  id,
  role: 'user',
  parts: [{ type: 'text', text: said }],
});

/** An executor that keeps what it was asked. */
function listening(executor: Executor = inProcess()): Executor & { requests: RunRequest[] } {
  const requests: RunRequest[] = [];
  return {
    ...executor,
    requests,
    start(request, signal) {
      requests.push(request as RunRequest);
      return executor.start(request, signal);
    },
  };
}

describe('a turn', () => {
  test('text: the message, its id and the statuses are as with any transport', async () => {
    const model = scriptedModel(['Hello, Ada.']);
    const executor = listening();
    const chat = new PlainChat({ transport: new PromptTransport(talk, { model, executor }) });
    await chat.sendMessage({ text: 'I am Ada.' });
    expect(chat.statuses).toEqual(['submitted', 'streaming', 'ready']);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(json(chat.messages[1]?.parts)).toEqual([
      { type: 'step-start' },
      { type: 'text', text: 'Hello, Ada.', state: 'done' },
    ]);
    expect(sent(model)[0]?.messages).toEqual(['user: I am Ada.']);
  });

  test('the message is the one that the run writes', async () => {
    const events: RunEvent[] = [];
    const executor: Executor = {
      async *start(request, signal) {
        for await (const event of inProcess().start(request, signal)) {
          events.push(event);
          yield event;
        }
      },
    };
    const model = scriptedModel([[call('weather', { city: 'Porto' })], 'Clear.']);
    const chat = new PlainChat({ transport: new PromptTransport(talk, { model, executor }) });
    await chat.sendMessage({ text: 'How is Porto?' });
    let own: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream: toUIMessageStream(events) })) own = message;
    expect(json(chat.messages[1])).toEqual(json(own));
    expect(own?.id).toBe(events[0]?.type === 'run-start' && events[0].messageId);
    expect(calls(chat)).toMatchObject([{ state: 'output-available', output: 'Porto: clear' }]);
  });

  test('a second turn follows the first', async () => {
    const model = scriptedModel(['Hello.', 'Ada.']);
    const chat = new PlainChat({ transport: new PromptTransport(talk, { model }) });
    await chat.sendMessage({ text: 'I am Ada.' });
    await chat.sendMessage({ text: 'Who am I?' });
    expect(chat.messages.map(text)).toEqual(['I am Ada.', 'Hello.', 'Who am I?', 'Ada.']);
    expect(sent(model)[1]?.messages).toEqual(['user: I am Ada.', 'assistant: Hello.', 'user: Who am I?']);
    expect(new Set(chat.messages.map(({ id }) => id)).size).toBe(4);
  });

  test('regenerate: the answer is another, to the same', async () => {
    const model = scriptedModel(['Hello.', 'Good day.']);
    const chat = new PlainChat({ transport: new PromptTransport(talk, { model }) });
    await chat.sendMessage({ text: 'I am Ada.' });
    const [, first] = chat.messages;
    await chat.regenerate();
    expect(chat.messages.map(text)).toEqual(['I am Ada.', 'Good day.']);
    expect(chat.messages[1]?.id).not.toBe(first?.id);
    expect(sent(model)[1]).toEqual(sent(model)[0]);
  });

  test('user messages are sent again', async () => {
    const model = scriptedModel(['Hello.', 'Hello, Bo.']);
    const chat = new PlainChat({ transport: new PromptTransport(talk, { model }) });
    await chat.sendMessage({ text: 'I am Ada.' });
    await chat.sendMessage({ text: 'I am Bo.', messageId: chat.messages[0]!.id });
    expect(chat.messages.map(text)).toEqual(['I am Bo.', 'Hello, Bo.']);
    expect(sent(model)[1]?.messages).toEqual(['user: I am Bo.']);
  });

  test('a tool that the client runs: the answer continues in the same message', async () => {
    const model = scriptedModel([['Let me ask. ', call('ask', { what: 'name' })], 'Hello, Ada.']);
    // the AI SDK's type of a tool without execute does not fit its own ToolSet under exactOptionalPropertyTypes
    const ask = aiTool({
      description: 'Asks',
      inputSchema: z.object({ what: z.string() }),
    }) as ToolSet[string];
    const chat = new PlainChat({
      transport: new PromptTransport(talk, { model, options: { tools: { ask } } }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    });
    await chat.sendMessage({ text: 'Hello.' });
    expect(calls(chat)).toMatchObject([{ type: 'tool-ask', state: 'input-available' }]);
    await chat.addToolOutput({ tool: 'ask', toolCallId: calls(chat)[0]!.toolCallId, output: 'Ada' });
    await vi.waitFor(() => expect(chat.messages.map(text)).toEqual(['Hello.', 'Let me ask. Hello, Ada.']));
    expect(sent(model)[1]?.messages.at(-1)).toBe('ask answers Ada');
  });

  test('input: a value, or made of what the chat sends along', async () => {
    const seen: ChatCall[] = [];
    const greet = definePrompt('greet', (prompt, { name }: { name: string }) => {
      prompt.$`Call me ${name}.`;
    });
    const model = scriptedModel(['One.', 'Two.']);
    const still = new PlainChat({
      transport: new PromptTransport(greet, { model, input: { name: 'Ada' } }),
    });
    await still.sendMessage({ text: 'Hello.' });
    const made = new PlainChat({
      id: 'made',
      transport: new PromptTransport(greet, {
        model,
        input: async (chatCall) => {
          seen.push(chatCall);
          return chatCall.body as { name: string };
        },
      }),
    });
    await made.sendMessage({ text: 'Hello.' }, { body: { name: 'Bo' }, headers: { a: 'b' }, metadata: 1 });
    expect(sent(model).map(({ messages }) => messages)).toEqual([
      ['user: Call me Ada.', 'user: Hello.'],
      ['user: Call me Bo.', 'user: Hello.'],
    ]);
    expect(seen).toMatchObject([
      {
        chatId: 'made',
        trigger: 'submit-message',
        messages: [{ role: 'user' }],
        body: { name: 'Bo' },
        headers: { a: 'b' },
        metadata: 1,
      },
    ]);
  });
});

describe('what ends a turn', () => {
  test('stop: the run ends, and its text stays', async () => {
    const model = scriptedModel([[{ text: 'One two three.', chunkSize: 4 }, { delay: 5_000 }]]);
    const events: RunEvent[] = [];
    const executor: Executor = {
      async *start(request, signal) {
        for await (const event of inProcess().start(request, signal)) {
          events.push(event);
          yield event;
        }
      },
    };
    const finished = vi.fn();
    const chat = new PlainChat({
      transport: new PromptTransport(talk, { model, executor }),
      onFinish: finished,
    });
    void chat.sendMessage({ text: 'Count.' });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('One two three.'));
    await chat.stop();
    expect(chat.status).toBe('ready');
    expect(finished).toHaveBeenCalledWith(expect.objectContaining({ isAbort: true, isError: false }));
    expect(text(chat.messages[1])).toBe('One two three.');
    await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' }));
  });

  test('aborted: the stream ends with an abort', async () => {
    const model = scriptedModel([[{ text: 'One' }, { delay: 5_000 }]]);
    const transport = new PromptTransport(talk, { model });
    const controller = new AbortController();
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'aborted',
      messageId: undefined,
      messages: [user('1', 'Count.')],
      abortSignal: controller.signal,
    });
    const types: string[] = [];
    for await (const { type } of stream) {
      types.push(type);
      if (type === 'text-end') controller.abort();
    }
    expect(types).toEqual(['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'abort']);
  });

  test.each<[string, readonly ScriptedTurn[] | undefined, string]>([
    ['the model fails', [[{ throw: { message: 'bad key sk-secret', status: 401 } }]], 'key'],
    ['no model is given', undefined, 'No model is given. Pass { model:'],
  ])('%s: the chat has our sentence', async (_what, turns, sentence) => {
    const model = turns === undefined ? undefined : scriptedModel(turns);
    const failed = vi.fn();
    const options = { model, options: { maxRetries: 0 } };
    const chat = new PlainChat({ transport: new PromptTransport(talk, options), onError: failed });
    await chat.sendMessage({ text: 'Hello.' });
    expect(chat.status).toBe('error');
    expect(chat.error?.message).toContain(sentence);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user']);
    expect(failed).toHaveBeenCalledTimes(1);
    const { run } = await runPrompt(talk, {
      model: scriptedModel(turns ?? []),
      messages: [user('1', 'Hello.')],
      options: { maxRetries: 0 },
    });
    const state = await run.finished;
    if (turns !== undefined) expect(state).toMatchObject({ error: { message: chat.error?.message } });
    // a chat that has failed can go on
    chat.clearError();
    expect(chat.status).toBe('ready');
  });

  test('an executor that throws, and one that ends without a run-end', async () => {
    const broken: Executor = {
      // eslint-disable-next-line require-yield -- it fails before it has anything to say
      async *start() {
        throw new CuelineError('network', 'There is no connection.');
      },
    };
    const chat = new PlainChat({ transport: new PromptTransport(talk, { executor: broken }) });
    await chat.sendMessage({ text: 'Hello.' });
    expect(chat.error?.message).toBe('There is no connection.');
    const cut: Executor = { async *start() {} };
    const other = new PlainChat({ transport: new PromptTransport(talk, { executor: cut }) });
    await other.sendMessage({ text: 'Hello.' });
    expect(other.error?.message).toContain('broke off');
  });

  test('an input that cannot be made: the chat has the error itself', async () => {
    const greet = definePrompt('greet', (prompt, name: string) => {
      prompt.$`I am ${name}.`;
    });
    const error = new Error('Who are you?');
    const chat = new PlainChat({
      transport: new PromptTransport(greet, { input: () => Promise.reject(error) }),
    });
    await chat.sendMessage({ text: 'Hello.' });
    expect(chat.error).toBe(error);
  });

  test('a message in the middle of an answer stops the run before', async () => {
    const model = scriptedModel([[{ text: 'One' }, { delay: 5_000 }], 'Two.']);
    const signals: AbortSignal[] = [];
    const executor: Executor = {
      start(request, signal) {
        signals.push(signal);
        return inProcess().start(request, signal);
      },
    };
    const chat = new PlainChat({ transport: new PromptTransport(talk, { model, executor }) });
    void chat.sendMessage({ text: 'Count.' });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('One'));
    await chat.sendMessage({ text: 'And two?' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(text(chat.messages.at(-1))).toBe('Two.');
  });
});

describe('reconnecting', () => {
  const slow: readonly ScriptedTurn[] = [[{ text: 'One ' }, { delay: 60 }, { text: 'two.' }]];

  test('nothing under way: null, also after the end', async () => {
    const transport = new PromptTransport(talk, { model: scriptedModel(['Hello.']) });
    expect(await transport.reconnectToStream({ chatId: 'none' })).toBeNull();
    const chat = new PlainChat({ id: 'ended', transport });
    await chat.sendMessage({ text: 'Hello.' });
    expect(await transport.reconnectToStream({ chatId: 'ended' })).toBeNull();
    await chat.resumeStream();
    expect(chat.messages.map(text)).toEqual(['Hello.', 'Hello.']);
  });

  test('detached: it continues, and another chat gets it from its beginning', async () => {
    const model = scriptedModel(slow);
    const options = { model, onAbort: 'detach' } as const;
    const chat = new PlainChat({ id: 'away', transport: new PromptTransport(talk, options) });
    void chat.sendMessage({ text: 'Count.' });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('One '));
    await chat.stop();
    // another transport, as a component that is shown again makes one
    const transport = new PromptTransport(talk, options);
    const again = new PlainChat({ id: 'away', transport, messages: transport.messages('away') });
    expect(again.messages.map(text)).toEqual(['Count.', 'One ']);
    await again.resumeStream();
    expect(again.messages.map(text)).toEqual(['Count.', 'One two.']);
    expect(again.messages[1]?.id).toBe(chat.messages[1]?.id);
    expect(model.calls).toHaveLength(1);
  });

  test('detached, and ended while nothing watched: the end is not lost', async () => {
    const options = { model: scriptedModel(slow), onAbort: 'detach' } as const;
    const transport = new PromptTransport(talk, options);
    const chat = new PlainChat({ id: 'later', transport });
    void chat.sendMessage({ text: 'Count.' });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('One '));
    await chat.stop();
    await vi.waitFor(() => expect(transport.messages('later').map(text)).toEqual(['Count.', 'One two.']));
    await chat.resumeStream();
    expect(chat.messages.map(text)).toEqual(['Count.', 'One two.']);
    expect(await transport.reconnectToStream({ chatId: 'later' })).toBeNull();
  });

  test('a stop that is followed by a reconnection at once, as in StrictMode, ends nothing', async () => {
    const transport = new PromptTransport(talk, { model: scriptedModel(slow) });
    const chat = new PlainChat({ id: 'strict', transport });
    void chat.sendMessage({ text: 'Count.' });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('One '));
    void chat.stop();
    const again = new PlainChat({ id: 'strict', transport });
    await again.resumeStream();
    expect(again.messages.map(text)).toEqual(['One two.']);
  });

  test('the newest hundred chats are remembered, and any that is not over', async () => {
    const { definition } = banker();
    const asking = new PlainChat({
      id: 'asking',
      transport: new PromptTransport(definition, {
        model: scriptedModel([[call('pay', { amount: 1 })]]),
      }),
    });
    await asking.sendMessage({ text: 'Pay.' });
    const model = scriptedModel(Array.from({ length: 110 }, () => 'Hello.'));
    const transport = new PromptTransport(definition, { model });
    for (let n = 0; n < 110; n += 1) {
      await new PlainChat({ id: `${n}`, transport }).sendMessage({ text: 'Hello.' });
    }
    const known = Array.from({ length: 110 }, (_, n) => transport.messages(`${n}`).length > 0);
    expect(known.lastIndexOf(false)).toBe(10);
    expect(known.indexOf(true)).toBe(11);
    expect(transport.messages('asking')).toHaveLength(2);
    transport.stop('asking');
  });

  test('cancelled and then aborted: that is a stop, too', async () => {
    const model = scriptedModel(slow);
    const transport = new PromptTransport(talk, { model });
    const controller = new AbortController();
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'cancelled',
      messageId: undefined,
      messages: [user('1', 'Count.')],
      abortSignal: controller.signal,
    });
    await vi.waitFor(() => expect(model.calls).toHaveLength(1));
    await stream.cancel();
    controller.abort();
    await vi.waitFor(() => expect(model.calls[0]?.abortSignal?.aborted).toBe(true));
  });

  test('stopped: null', async () => {
    const transport = new PromptTransport(talk, { model: scriptedModel(slow), onAbort: 'detach' });
    const chat = new PlainChat({ id: 'stopped', transport });
    void chat.sendMessage({ text: 'Count.' });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('One '));
    transport.stop('stopped');
    await vi.waitFor(() => expect(chat.status).toBe('ready'));
    expect(await transport.reconnectToStream({ chatId: 'stopped' })).toBeNull();
  });

  test('after a reload, by the executor that still knows the run', async () => {
    const log: RunEvent[] = [];
    const { run } = await runPrompt(talk, {
      model: scriptedModel(slow),
      messages: [user('1', 'Count.')],
    });
    run.listen((event) => log.push(event));
    const attached: unknown[] = [];
    const executor: Executor = {
      start: () => run.events(),
      attach(runId, afterSeq) {
        attached.push([runId, afterSeq]);
        return run.id === runId ? run.events(afterSeq) : undefined;
      },
    };
    const kept = new Map<string, string>();
    const runIds: RunIds = {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    };
    const before = definePrompt('talk', talk.run);
    const chat = new PlainChat({
      id: 'reload',
      transport: new PromptTransport(before, { executor, runIds }),
    });
    void chat.sendMessage({ text: 'Count.' });
    await vi.waitFor(() => expect(kept.size).toBe(1));
    // after a reload, all is made anew
    const after = definePrompt('talk', talk.run);
    const transport = new PromptTransport(after, { executor, runIds });
    const again = new PlainChat({ id: 'reload', transport });
    await Promise.all([again.resumeStream(), again.resumeStream()]);
    expect(again.messages.map(text)).toEqual(['One two.']);
    expect(attached).toEqual([[run.id, -1]]);
    expect(kept.size).toBe(0);
    kept.set('cueline:chat:other', 'unknown');
    expect(await transport.reconnectToStream({ chatId: 'other' })).toBeNull();
    expect(kept.size).toBe(0);
  });

  test('the executor knows it no more: null; it cannot be reached: the error', async () => {
    let code: 'interrupted' | 'network' = 'interrupted';
    const executor: Executor = {
      start: () => expect.unreachable(),
      // eslint-disable-next-line require-yield -- it fails before it has anything to say
      async *attach() {
        throw new CuelineError(code, 'No.');
      },
    };
    const runIds: RunIds = { getItem: () => 'run-1', setItem() {}, removeItem: vi.fn() };
    const transport = new PromptTransport(talk, { executor, runIds });
    expect(await transport.reconnectToStream({ chatId: 'gone' })).toBeNull();
    expect(runIds.removeItem).toHaveBeenCalledWith('cueline:chat:gone');
    code = 'network';
    await expect(transport.reconnectToStream({ chatId: 'gone' })).rejects.toMatchObject({ code });
  });
});

describe('approvals', () => {
  const pays: readonly ScriptedTurn[] = [['Let me see. ', call('pay', { amount: 50 })], 'Done.'];

  /** A chat that has asked to pay. */
  async function asked(turns = pays, count = 1) {
    const model = scriptedModel(turns);
    const executor = listening();
    const { definition, paid } = banker();
    const transport = new PromptTransport(definition, { model, executor });
    const chat = approvingChat({ transport });
    await chat.sendMessage({ text: 'Pay.' });
    expect(chat.status).toBe('ready');
    await vi.waitFor(() => expect(approvals(chat)).toHaveLength(count));
    expect(paid).toEqual([]);
    return { chat, transport, model, executor, definition, paid };
  }

  test('yes: the call runs, and the same run goes on in the same message', async () => {
    const { chat, model, executor, paid } = await asked();
    expect(calls(chat)).toMatchObject([
      { type: 'tool-pay', input: { amount: 50 }, state: 'approval-requested' },
    ]);
    const { id } = chat.messages[1]!;
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved: true });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('Let me see. Done.'));
    await vi.waitFor(() => expect(chat.status).toBe('ready'));
    expect(paid).toEqual([50]);
    expect(calls(chat)).toMatchObject([
      { state: 'output-available', output: 'paid 50', approval: { approved: true } },
    ]);
    expect(chat.messages.map(({ id }) => id)).toEqual([chat.messages[0]!.id, id]);
    expect(chat.messages[1]!.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'text',
      'tool-pay',
      'step-start',
      'text',
    ]);
    expect([executor.requests.length, model.calls.length]).toEqual([1, 2]);
  });

  test('no: the call does not run, and the model reads why', async () => {
    const { chat, model, paid } = await asked();
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved: false, reason: 'too much' });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('Let me see. Done.'));
    expect(paid).toEqual([]);
    expect(calls(chat)).toMatchObject([
      { state: 'output-denied', approval: { approved: false, reason: 'too much' } },
    ]);
    expect(sent(model)[1]?.messages.at(-1)).toContain('did not approve it: too much');
  });

  test.each([true, false])(
    'approved: %s, the turn after it is sent as one without approvals',
    async (approved) => {
      const { chat, model, paid } = await asked([...pays, 'Bye.']);
      await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved });
      await vi.waitFor(() => expect(text(chat.messages[1])).toBe('Let me see. Done.'));
      await vi.waitFor(() => expect(chat.status).toBe('ready'));
      await chat.sendMessage({ text: 'Thanks.' });
      expect(text(chat.messages.at(-1))).toBe('Bye.');
      expect(sent(model)[2]?.messages).toEqual([
        'user: Pay.',
        'assistant: Let me see. ',
        'assistant calls pay {"amount":50}',
        `pay ${approved ? 'answers paid 50' : 'fails: Tool call execution denied.'}`,
        'assistant: Done.',
        'user: Thanks.',
      ]);
      expect(JSON.stringify(model.calls[2])).not.toContain('approval');
      expect(paid).toEqual(approved ? [50] : []);
    },
  );

  test('two at once: both are answered before it continues', async () => {
    const both: ScriptedTurn = [call('pay', { amount: 1 }), call('pay', { amount: 2 })];
    const { chat, paid, executor } = await asked([both, 'Done.'], 2);
    const [first, second] = approvals(chat);
    await chat.addToolApprovalResponse({ id: first!, approved: true });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([paid, chat.status]).toEqual([[], 'ready']);
    await chat.addToolApprovalResponse({ id: second!, approved: false });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('Done.'));
    expect(paid).toEqual([1]);
    expect(calls(chat).map(({ state }) => state)).toEqual(['output-available', 'output-denied']);
    expect(executor.requests).toHaveLength(1);
  });

  test('two at once, of which a client sends one answer: the other stays open', async () => {
    const both: ScriptedTurn = [call('pay', { amount: 1 }), call('pay', { amount: 2 })];
    const { definition, paid } = banker();
    const transport = new PromptTransport(definition, { model: scriptedModel([both, 'Done.']) });
    const chat = new PlainChat({ transport });
    await chat.sendMessage({ text: 'Pay.' });
    await vi.waitFor(() => expect(approvals(chat)).toHaveLength(2));
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved: true });
    await chat.sendMessage();
    expect(paid).toEqual([1]);
    expect(calls(chat).map(({ state }) => state)).toEqual(['output-available', 'approval-requested']);
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved: true });
    await chat.sendMessage();
    expect(paid).toEqual([1, 2]);
    expect(text(chat.messages[1])).toBe('Done.');
  });

  test('one after the other, in one run', async () => {
    const { chat, paid, executor } = await asked([
      [call('pay', { amount: 1 })],
      [call('pay', { amount: 2 })],
      'Done.',
    ]);
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved: true });
    await vi.waitFor(() => expect(approvals(chat)).toHaveLength(1));
    await vi.waitFor(() => expect(chat.status).toBe('ready'));
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved: true });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('Done.'));
    expect([paid, executor.requests.length]).toEqual([[1, 2], 1]);
  });

  test('beside a slow call: its result is there when the stream closes', async () => {
    const { chat, paid } = await asked([[call('pay', { amount: 1 }), call('look', { ms: 40 })], 'Done.']);
    expect(calls(chat).map(({ state }) => state)).toEqual(['approval-requested', 'output-available']);
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved: true });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('Done.'));
    expect(paid).toEqual([1]);
  });

  test('an answer while the stream is open is heard when it closes', async () => {
    const { definition, paid } = banker();
    const model = scriptedModel([[call('pay', { amount: 1 }), call('look', { ms: 60 })], 'Done.']);
    const chat = approvingChat({ transport: new PromptTransport(definition, { model }) });
    void chat.sendMessage({ text: 'Pay.' });
    await vi.waitFor(() => expect(approvals(chat)).toHaveLength(1));
    expect(chat.status).toBe('streaming');
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved: true });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('Done.'));
    expect(paid).toEqual([1]);
  });

  test('the same call twice in one step: it is asked once', async () => {
    const twice: ScriptedTurn = [call('pay', { amount: 1 }, 'a'), call('pay', { amount: 1 }, 'b')];
    const { chat, paid } = await asked([twice, 'Done.']);
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved: true });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('Done.'));
    expect(paid).toEqual([1]);
    expect(calls(chat).map(({ state }) => state)).toEqual(['output-available', 'output-available']);
  });

  const clerk: readonly ScriptedTurn[] = [
    [call('clerk', { bill: 7 })],
    [call('transfer', { amount: 70 })],
    'Bill paid.',
    'Done.',
    'Bye.',
  ];

  test.each([true, false])('an approval of an agent is its own part; approved: %s', async (approved) => {
    const { chat, paid, model } = await asked(clerk);
    expect(calls(chat)).toMatchObject([
      { type: 'tool-clerk' },
      { type: 'dynamic-tool', toolName: 'transfer', input: { amount: 70 }, state: 'approval-requested' },
    ]);
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('Done.'));
    await vi.waitFor(() => expect(chat.status).toBe('ready'));
    expect(paid).toEqual(approved ? [70] : []);
    expect(calls(chat)).toMatchObject([
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

  test('a chat that is shown again is asked again', async () => {
    const { definition, paid } = banker();
    const chatId = 'shown again';
    const model = scriptedModel(pays);
    const first = new PlainChat({ id: chatId, transport: new PromptTransport(definition, { model }) });
    await first.sendMessage({ text: 'Pay.' });
    const transport = new PromptTransport(definition);
    const again = approvingChat({ id: chatId, transport, messages: transport.messages(chatId) });
    await again.resumeStream();
    expect(again.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    await again.addToolApprovalResponse({ id: approvals(again)[0]!, approved: true });
    await vi.waitFor(() => expect(text(again.messages[1])).toBe('Let me see. Done.'));
    expect(paid).toEqual([50]);
  });

  test('a message instead of an answer: the call never runs, and the model knows', async () => {
    const { chat, paid, model } = await asked([...pays.slice(0, 1), 'Then not.']);
    const [id] = approvals(chat);
    await chat.sendMessage({ text: 'Forget it.' });
    expect(text(chat.messages.at(-1))).toBe('Then not.');
    expect(sent(model)[1]?.messages).toContain('pay fails: The run ended before this had a result.');
    // the answer comes after all
    await chat.addToolApprovalResponse({ id: id!, approved: true });
    await chat.sendMessage();
    expect(chat.error?.message).toContain('The run that asked for this is gone');
    expect(paid).toEqual([]);
  });

  test('an answer after a reload: nothing runs, nothing is sent again, and the chat can continue', async () => {
    const { chat: before } = await asked();
    const { definition, paid } = banker();
    const model = scriptedModel(['Shall I try again?']);
    const executor = listening();
    const chat = approvingChat({
      messages: json(before.messages),
      transport: new PromptTransport(definition, { model, executor }),
    });
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved: true });
    await vi.waitFor(() => expect(chat.status).toBe('error'));
    expect(chat.error).toMatchObject({ code: 'interrupted' });
    expect([paid, executor.requests]).toEqual([[], []]);
    await chat.sendMessage({ text: 'Well?' });
    expect(text(chat.messages.at(-1))).toBe('Shall I try again?');
    expect(paid).toEqual([]);
  });

  test('sent without an answer: it waits on, and nothing is started', async () => {
    const { chat, executor, transport, paid } = await asked();
    const before = json(chat.messages);
    await chat.sendMessage();
    expect(json(chat.messages)).toEqual(before);
    expect([chat.status, executor.requests.length, paid]).toEqual(['ready', 1, []]);
    transport.stop(chat.id);
  });

  test('what comes after the answer comes once', async () => {
    const { chat, transport } = await asked([
      [call('pay', { amount: 1 }), call('look', { ms: 20 })],
      'Done.',
    ]);
    const [said, answer] = json(chat.messages);
    const part = answer!.parts.find(({ type }) => type === 'tool-pay') as unknown as Call;
    Object.assign(part, { state: 'approval-responded', approval: { ...part.approval, approved: true } });
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: chat.id,
      messageId: answer!.id,
      messages: [said!, answer!],
      abortSignal: undefined,
    });
    expect((await chunksOf(stream)).map(({ type }) => type)).toEqual([
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

  test('a remote executor: the answer is on its way, and the stream waits for its effect', async () => {
    const { definition, paid } = banker();
    const own = inProcess();
    const executor: Executor = {
      ...own,
      async send(runId, command) {
        setTimeout(() => void own.send!(runId, command), 40);
        return { accepted: true };
      },
    };
    const chat = approvingChat({
      transport: new PromptTransport(definition, { model: scriptedModel(pays), executor }),
    });
    await chat.sendMessage({ text: 'Pay.' });
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved: true });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('Let me see. Done.'));
    expect(paid).toEqual([50]);
    expect(chat.statuses.filter((status) => status === 'submitted')).toHaveLength(2);
  });

  test('an executor without commands: an error, and no endless sending', async () => {
    const { definition } = banker();
    const { start } = inProcess();
    const transport = new PromptTransport(definition, {
      model: scriptedModel(pays),
      executor: { start },
    });
    const chat = approvingChat({ transport });
    await chat.sendMessage({ text: 'Pay.' });
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved: true });
    await vi.waitFor(() => expect(chat.status).toBe('error'));
    expect(chat.error?.message).toBe('This executor does not accept commands.');
    expect(chat.statuses.filter((status) => status === 'submitted')).toHaveLength(2);
    transport.stop(chat.id);
  });
});

describe('tasks', () => {
  const plan = definePrompt('plan', (prompt) => {
    prompt.defTaskList([{ task: 'Look' }, { task: 'Book' }]);
  });
  const finish = (result: string) => [call('finishTask', { result })];

  test('the list is one part, changed in place, and a done list stays done', async () => {
    const model = scriptedModel([finish('seen'), finish('booked'), 'All done.', 'You are welcome.']);
    const executor = listening();
    const chat = new PlainChat({ transport: new PromptTransport(plan, { model, executor }) });
    await chat.sendMessage({ text: 'Go.' });
    const message = chat.messages[1] as PromptUIMessage;
    const lists = message.parts.filter(({ type }) => type === 'data-tasks');
    expect(lists).toMatchObject([
      {
        id: 'tasks',
        data: [
          { title: 'Look', status: 'completed', result: 'seen' },
          { title: 'Book', status: 'completed', result: 'booked' },
        ],
      },
    ]);
    await chat.sendMessage({ text: 'Thanks.' });
    expect(text(chat.messages.at(-1))).toBe('You are welcome.');
    expect(executor.requests[1]?.tasks).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
    expect(JSON.stringify(executor.requests[1]?.messages)).not.toContain('data-tasks');
  });

  test('regenerate takes the list as it was before', async () => {
    const model = scriptedModel([finish('seen'), finish('booked'), 'One.', finish('a'), finish('b'), 'Two.']);
    const executor = listening();
    const chat = new PlainChat({ transport: new PromptTransport(plan, { model, executor }) });
    await chat.sendMessage({ text: 'Go.' });
    await chat.regenerate();
    expect(text(chat.messages.at(-1))).toContain('Two.');
    expect(executor.requests.map(({ tasks }) => tasks)).toEqual([[], []]);
  });
});

describe('by route', () => {
  const address = 'https://example.com/bank';

  test('an approval, a cut connection, and the second turn', async () => {
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
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved: true });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('Done.'));
    await vi.waitFor(() => expect(chat.status).toBe('ready'));
    expect(paid).toEqual([50]);
    await chat.sendMessage({ text: 'Thanks.' });
    expect(chat.messages.map(text)).toEqual(['Pay.', 'Done.', 'Thanks.', 'Bye.']);
  });

  test('after a reload in the middle of an approval, the answer reaches the run that asked', async () => {
    const { definition, paid } = banker();
    const model = scriptedModel([[call('pay', { amount: 50 })], 'Done.']);
    const hub = createHub(definition, { model });
    const kept = new Map<string, string>();
    const runIds: RunIds = {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    };
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
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved: true });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('Done.'));
    await vi.waitFor(() => expect(chat.status).toBe('ready'));
    expect([paid, model.calls.length, kept.size]).toEqual([[50], 2, 0]);
    // and a server that knows nothing of it any more
    const late = reload(before.messages);
    kept.set('cueline:chat:reload', 'unknown');
    await late.addToolApprovalResponse({ id: approvals(late)[0]!, approved: true });
    await vi.waitFor(() => expect(late.status).toBe('error'));
    expect(late.error?.message).toContain('The run that asked for this is gone');
    expect(paid).toEqual([50]);
  });
});

describe('over HTTP', () => {
  test('a run’s events are a response that a stock client reads', async () => {
    const chat = new PlainChat({
      transport: new DefaultChatTransport({
        async fetch() {
          const { run } = await runPrompt(talk, {
            model: scriptedModel([[call('weather', { city: 'Porto' })], 'Clear.']),
            messages: [user('1', 'How is Porto?')],
          });
          return createUIMessageStreamResponse({ stream: toUIMessageStream(run.events()) });
        },
      }),
    });
    await chat.sendMessage({ text: 'How is Porto?' });
    expect(chat.error).toBeUndefined();
    expect(text(chat.messages[1])).toBe('Clear.');
    expect(calls(chat)).toMatchObject([{ state: 'output-available', output: 'Porto: clear' }]);
  });

  test('the transport on a server answers a stock client, with approvals and tasks', async () => {
    const { definition, paid } = banker();
    const model = scriptedModel([
      [call('clerk', { bill: 7 })],
      [call('transfer', { amount: 70 })],
      'Bill paid.',
      'Done.',
    ]);
    const server = new PromptTransport(definition, { model });
    const chat = approvingChat({
      transport: new DefaultChatTransport({
        async fetch(_url, init) {
          const { id, trigger, messages, messageId } = JSON.parse(init?.body as string) as never as {
            id: string;
            trigger: 'submit-message';
            messages: UIMessage[];
            messageId: string | undefined;
          };
          const stream = await server.sendMessages({
            chatId: id,
            trigger,
            messages,
            messageId,
            abortSignal: init?.signal ?? undefined,
          });
          return createUIMessageStreamResponse({ stream });
        },
      }),
    });
    await chat.sendMessage({ text: 'Pay.' });
    expect(chat.error).toBeUndefined();
    await chat.addToolApprovalResponse({ id: approvals(chat)[0]!, approved: true });
    await vi.waitFor(() => expect(text(chat.messages[1])).toBe('Done.'));
    expect(paid).toEqual([70]);
  });
});
