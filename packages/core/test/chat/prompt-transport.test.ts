import { CuelineError, definePrompt, runPrompt, type Executor } from '@cueline/core';
import {
  PromptTransport,
  type ChatCall,
  type PromptUIMessage,
  toUIMessageStream,
} from '@cueline/core/ai-sdk';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import {
  createUIMessageStreamResponse,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithToolCalls,
  readUIMessageStream,
  tool as aiTool,
  type ChatInit,
  type ToolSet,
  type UIMessage,
} from 'ai';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent-requests.ts';
import { call, json } from '../support.ts';
import {
  answered,
  approvingChat,
  banker,
  callsOf,
  collect,
  listening,
  PlainChat,
  respond,
  submission,
  textOf,
  userMessage,
  overHttp,
} from '../support/chat.ts';

const talk = definePrompt('talk', (prompt) => {
  prompt.defSystem('role', 'You are brief.');
  prompt.defTool('weather', 'Weather', z.object({ city: z.string() }), ({ city }) => `${city}: clear`);
});

/** A chat on `talk` whose model says this. */
function talking(turns: readonly ScriptedTurn[], init: Partial<ChatInit<UIMessage>> = {}, options = {}) {
  const model = scriptedModel(turns);
  const executor = listening();
  const transport = new PromptTransport(talk, { model, executor, options });
  return { model, executor, transport, chat: new PlainChat({ transport, ...init }) };
}

test.each([
  [{ onAbrot: 'detach' }, 'PromptTransport has no "onAbrot". Did you mean onAbort?'],
  [
    { temperature: 0.5 },
    'temperature is an option: new PromptTransport(prompt, { options: { temperature: … } }).',
  ],
])('%j is refused with the first message: %s', async (settings, message) => {
  const transport = new PromptTransport(talk, settings as never);
  await expect(transport.sendMessages(submission('c'))).rejects.toMatchObject({
    code: 'invalid_options',
    message,
  });
});

describe('a turn', () => {
  test('A text gives the same message and statuses as with any transport', async () => {
    const { chat, model } = talking(['Hello, Ada.']);
    await chat.sendMessage({ text: 'I am Ada.' });
    expect(chat.statuses).toEqual(['submitted', 'streaming', 'ready']);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(json(chat.messages[1]?.parts)).toEqual([
      { type: 'step-start' },
      { type: 'text', text: 'Hello, Ada.', state: 'done' },
    ]);
    expect(sent(model)[0]?.messages).toEqual(['user: I am Ada.']);
  });

  test('The message equals the message in the state of the run', async () => {
    const { chat, executor } = talking([[call('weather', { city: 'Porto' })], 'Clear.']);
    await chat.sendMessage({ text: 'How is Porto?' });
    const [start] = executor.events;
    const stream = toUIMessageStream(executor.events);
    const own = (await collect(readUIMessageStream({ stream }))).at(-1);
    expect(json(chat.messages[1])).toEqual(json(own));
    expect(own?.id).toBe(start?.type === 'run-start' && start.messageId);
    expect(callsOf(chat)).toMatchObject([{ state: 'output-available', output: 'Porto: clear' }]);
  });

  test('A second turn follows the first', async () => {
    const { chat, model } = talking(['Hello.', 'Ada.']);
    await chat.sendMessage({ text: 'I am Ada.' });
    await chat.sendMessage({ text: 'Who am I?' });
    expect(chat.messages.map(textOf)).toEqual(['I am Ada.', 'Hello.', 'Who am I?', 'Ada.']);
    expect(sent(model)[1]?.messages).toEqual(['user: I am Ada.', 'assistant: Hello.', 'user: Who am I?']);
    expect(new Set(chat.messages.map(({ id }) => id)).size).toBe(4);
  });

  test('Regenerating sends the same messages again and adds a new message', async () => {
    const { chat, model } = talking(['Hello.', 'Good day.']);
    await chat.sendMessage({ text: 'I am Ada.' });
    const [, first] = chat.messages;
    await chat.regenerate();
    expect(chat.messages.map(textOf)).toEqual(['I am Ada.', 'Good day.']);
    expect(chat.messages[1]?.id).not.toBe(first?.id);
    expect(sent(model)[1]).toEqual(sent(model)[0]);
  });

  test("A user's message can be replaced", async () => {
    const { chat, model } = talking(['Hello.', 'Hello, Bo.']);
    await chat.sendMessage({ text: 'I am Ada.' });
    await chat.sendMessage({ text: 'I am Bo.', messageId: chat.messages[0]!.id });
    expect(chat.messages.map(textOf)).toEqual(['I am Bo.', 'Hello, Bo.']);
    expect(sent(model)[1]?.messages).toEqual(['user: I am Bo.']);
  });

  test('After a tool that the client runs, the answer continues in the same message', async () => {
    // the AI SDK's type of a tool without execute does not fit its own ToolSet under exactOptionalPropertyTypes
    const ask = aiTool({
      description: 'Asks',
      inputSchema: z.object({ what: z.string() }),
    }) as ToolSet[string];
    const { chat, model } = talking(
      [['Let me ask. ', call('ask', { what: 'name' })], 'Hello, Ada.'],
      { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls },
      { tools: { ask } },
    );
    await chat.sendMessage({ text: 'Hello.' });
    expect(callsOf(chat)).toMatchObject([{ type: 'tool-ask', state: 'input-available' }]);
    await chat.addToolOutput({ tool: 'ask', toolCallId: callsOf(chat)[0]!.toolCallId, output: 'Ada' });
    await answered(chat, 'Let me ask. Hello, Ada.');
    expect(chat.messages).toHaveLength(2);
    expect(sent(model)[1]?.messages.at(-1)).toBe('ask answers Ada');
  });

  test('The input is a value or a function of what the chat sends', async () => {
    const seen: ChatCall[] = [];
    const greet = definePrompt('greet', (prompt, { name }: { name: string }) => {
      prompt.$`Call me ${name}.`;
    });
    const model = scriptedModel(['One.', 'Two.']);
    const fixed = new PromptTransport(greet, { model, input: { name: 'Ada' } });
    await new PlainChat({ transport: fixed }).sendMessage({ text: 'Hello.' });
    const made = new PromptTransport(greet, {
      model,
      input: async (chatCall) => {
        seen.push(chatCall);
        return chatCall.body as { name: string };
      },
    });
    const along = { body: { name: 'Bo' }, headers: { a: 'b' }, metadata: 1 };
    await new PlainChat({ id: 'made', transport: made }).sendMessage({ text: 'Hello.' }, along);
    expect(sent(model).map(({ messages }) => messages)).toEqual([
      ['user: Call me Ada.', 'user: Hello.'],
      ['user: Call me Bo.', 'user: Hello.'],
    ]);
    expect(seen).toMatchObject([
      { chatId: 'made', trigger: 'submit-message', messages: [{ role: 'user' }], ...along },
    ]);
  });
});

describe('the end of a turn', () => {
  test('A stop ends the run and keeps the text', async () => {
    const finished = vi.fn();
    const { chat, executor } = talking([[{ text: 'One two three.', chunkSize: 4 }, { delay: 5_000 }]], {
      onFinish: finished,
    });
    void chat.sendMessage({ text: 'Count.' });
    await expect.poll(() => textOf(chat.messages[1])).toBe('One two three.');
    await chat.stop();
    expect(chat.status).toBe('ready');
    expect(finished).toHaveBeenCalledWith(expect.objectContaining({ isAbort: true, isError: false }));
    expect(textOf(chat.messages[1])).toBe('One two three.');
    await expect.poll(() => executor.events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
  });

  test('The stream of an aborted call says so and closes', async () => {
    const { transport } = talking([[{ text: 'One' }, { delay: 5_000 }]]);
    const controller = new AbortController();
    const types: string[] = [];
    for await (const { type } of await transport.sendMessages(
      submission('aborted', undefined, controller.signal),
    )) {
      types.push(type);
      if (type === 'text-end') controller.abort();
    }
    expect(types).toEqual(['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'abort']);
  });

  test.each<[string, readonly ScriptedTurn[] | undefined, string]>([
    ['the model fails', [[{ throw: { message: 'bad key sk-secret', status: 401 } }]], 'key'],
    ['no model is given', undefined, 'No model is given. Pass { model:'],
  ])('The chat shows our error message and can continue if %s', async (_what, turns, sentence) => {
    const options = { maxRetries: 0 };
    const model = turns && scriptedModel(turns);
    const failed = vi.fn();
    const transport = new PromptTransport(talk, { model, options });
    const chat = new PlainChat({ transport, onError: failed });
    await chat.sendMessage({ text: 'Hello.' });
    expect(chat.status).toBe('error');
    expect(chat.error?.message).toContain(sentence);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user']);
    expect(failed).toHaveBeenCalledTimes(1);
    if (turns !== undefined) {
      const messages = [userMessage('Hello.')];
      const { run } = await runPrompt(talk, { model: scriptedModel(turns), messages, options });
      expect(await run.finished).toMatchObject({ error: { message: chat.error?.message } });
    }
    chat.clearError();
    expect(chat.status).toBe('ready');
  });

  test.each<[string, Executor['start'], string]>([
    [
      'throws',
      // eslint-disable-next-line require-yield -- it fails before it has anything to say
      async function* () {
        throw new CuelineError('network', 'There is no connection.');
      },
      'There is no connection.',
    ],
    ['stops without an end', async function* () {}, 'ended unexpectedly'],
  ])('An executor that %s causes an error in the chat', async (_what, start, message) => {
    const chat = new PlainChat({ transport: new PromptTransport(talk, { executor: { start } }) });
    await chat.sendMessage({ text: 'Hello.' });
    expect(chat.error?.message).toContain(message);
  });

  test('The chat shows the error of an input function that rejects', async () => {
    const greet = definePrompt('greet', (prompt, name: string) => {
      prompt.$`I am ${name}.`;
    });
    const error = new Error('Who are you?');
    const transport = new PromptTransport(greet, { input: () => Promise.reject(error) });
    const chat = new PlainChat({ transport });
    await chat.sendMessage({ text: 'Hello.' });
    expect(chat.error).toBe(error);
  });

  test('A message in the middle of an answer stops the running answer', async () => {
    const { chat, executor } = talking([[{ text: 'One' }, { delay: 5_000 }], 'Two.']);
    void chat.sendMessage({ text: 'Count.' });
    await expect.poll(() => textOf(chat.messages[1])).toBe('One');
    await chat.sendMessage({ text: 'And two?' });
    expect(executor.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(textOf(chat.messages.at(-1))).toBe('Two.');
  });
});

describe('tasks', () => {
  const plan = definePrompt('plan', (prompt) => {
    prompt.defTaskList([{ task: 'Look' }, { task: 'Book' }]);
  });
  const finish = (result: string) => [call('finishTask', { result })];

  test('The task list is one part that changes in place, and a completed list stays completed', async () => {
    const model = scriptedModel([finish('seen'), finish('booked'), 'All done.', 'You are welcome.']);
    const executor = listening();
    const chat = new PlainChat({ transport: new PromptTransport(plan, { model, executor }) });
    await chat.sendMessage({ text: 'Go.' });
    const message = chat.messages[1] as PromptUIMessage;
    expect(message.parts.filter(({ type }) => type === 'data-tasks')).toMatchObject([
      {
        id: 'tasks',
        data: [
          { title: 'Look', status: 'completed', result: 'seen' },
          { title: 'Book', status: 'completed', result: 'booked' },
        ],
      },
    ]);
    await chat.sendMessage({ text: 'Thanks.' });
    expect(textOf(chat.messages.at(-1))).toBe('You are welcome.');
    expect(executor.requests[1]?.tasks).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
    expect(JSON.stringify(executor.requests[1]?.messages)).not.toContain('data-tasks');
  });

  test('Regenerating starts with the earlier state of the list', async () => {
    const model = scriptedModel([finish('seen'), finish('booked'), 'One.', finish('a'), finish('b'), 'Two.']);
    const executor = listening();
    const chat = new PlainChat({ transport: new PromptTransport(plan, { model, executor }) });
    await chat.sendMessage({ text: 'Go.' });
    await chat.regenerate();
    expect(textOf(chat.messages.at(-1))).toContain('Two.');
    expect(executor.requests.map(({ tasks }) => tasks)).toEqual([[], []]);
  });
});

describe('over HTTP', () => {
  test("A stock client reads a response made of a run's events", async () => {
    const model = scriptedModel([[call('weather', { city: 'Porto' })], 'Clear.']);
    const transport = new DefaultChatTransport({
      async fetch() {
        const { run } = await runPrompt(talk, { model, messages: [userMessage('How is Porto?')] });
        return createUIMessageStreamResponse({ stream: toUIMessageStream(run.events()) });
      },
    });
    const chat = new PlainChat({ transport });
    await chat.sendMessage({ text: 'How is Porto?' });
    expect(chat.error).toBeUndefined();
    expect(textOf(chat.messages[1])).toBe('Clear.');
    expect(callsOf(chat)).toMatchObject([{ state: 'output-available', output: 'Porto: clear' }]);
  });

  test('The transport on a server answers a stock client, with the approvals of agents', async () => {
    const { definition, paid } = banker();
    const model = scriptedModel([
      [call('clerk', { bill: 7 })],
      [call('transfer', { amount: 70 })],
      'Bill paid.',
      'Done.',
    ]);
    const server = new PromptTransport(definition, { model });
    const transport = overHttp(server);
    const chat = approvingChat({ transport });
    await chat.sendMessage({ text: 'Pay.' });
    expect(chat.error).toBeUndefined();
    await respond(chat);
    await answered(chat, 'Done.');
    expect(paid).toEqual([70]);
  });
});
