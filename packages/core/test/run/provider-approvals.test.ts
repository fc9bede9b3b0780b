import { createRun, definePrompt, type Run, type RunEvent } from '@cueline/core';
import { PromptTransport } from '@cueline/core/ai-sdk';
import {
  convertToModelMessages,
  DirectChatTransport,
  isStepCount,
  jsonSchema,
  readUIMessageStream,
  streamText,
  tool,
  ToolLoopAgent,
  type ToolSet,
  type UIMessage,
} from 'ai';
import { describe, expect, test, vi } from 'vitest';
import { json } from '../support.ts';
import { modelOf, type Answer } from './any-answer.ts';
import { approvingChat } from './chat.ts';
import { nextEvent } from './runs.ts';

const metadata = (id: string) => ({ providerMetadata: { maker: { id } } });
const about = { toolName: 'mcp.pay', providerExecuted: true, dynamic: true } as const;

/** A provider that asks before it calls a tool of its MCP server, and goes on with the answer. */
const asks: Answer = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Let me pay. ' },
  { type: 'text-end', id: 't' },
  { type: 'tool-call', toolCallId: 'call', input: '{"amount":5}', ...about, ...metadata('call') },
  { type: 'tool-approval-request', toolCallId: 'call', approvalId: 'mcpr_1' },
];
const paid: Answer = [
  { type: 'tool-call', toolCallId: 'call', input: '{"amount":5}', ...about },
  { type: 'tool-result', toolCallId: 'call', result: { paid: 5 }, ...about, ...metadata('result') },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Paid.' },
  { type: 'text-end', id: 't' },
];
const refused: Answer = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Then not.' },
  { type: 'text-end', id: 't' },
];

const mcp: ToolSet = {
  mcp: tool({
    type: 'provider',
    id: 'maker.mcp',
    isProviderExecuted: true,
    args: {},
    inputSchema: jsonSchema({}),
  }) as never,
};
/** A prompt that leaves it to the chat to say something. */
const open = definePrompt('open', () => {});
const asked = definePrompt('asked', (prompt) => prompt.$`Go.`);
const answers = (approved: boolean): Answer[] => [asks, approved ? paid : refused, refused];
const answer = (approved: boolean) => ({
  id: 'mcpr_1',
  approved,
  ...(approved ? {} : { reason: 'too much' }),
});
const says = (approved: boolean) =>
  approved ? ({ approve: true } as const) : ({ approve: false, reason: 'too much' } as const);

function own({ messages }: { messages: readonly UIMessage[] }): UIMessage | undefined {
  return messages.findLast(({ role }) => role === 'assistant');
}

async function answered(approved: boolean) {
  const model = modelOf(answers(approved));
  const run = createRun(asked, { model, options: { tools: mcp } });
  const done = run.start();
  await nextEvent(run, 'request-open');
  return { model, run, done };
}

/** The AI SDK's chat with the AI SDK's agent behind it. */
async function theirs(approved: boolean) {
  const model = modelOf(answers(approved));
  const agent = new ToolLoopAgent({ model, tools: mcp, stopWhen: isStepCount(9) });
  // its types are those of its tools
  const chat = approvingChat({ transport: new DirectChatTransport({ agent }) as never });
  await chat.sendMessage({ text: 'Go.' });
  await chat.addToolApprovalResponse(answer(approved));
  await vi.waitFor(() => expect(model.calls).toHaveLength(2));
  await vi.waitFor(() => expect(chat.status).toBe('ready'));
  await chat.sendMessage({ text: 'Next.' });
  await vi.waitFor(() => expect(model.calls).toHaveLength(3));
  return { message: chat.messages[1], sent: model.calls.map(({ prompt }) => json(prompt)) };
}

describe.each([true, false])('a provider asks for an approval: %s', (approved) => {
  test('the run waits for respond; messages and requests are those of useChat', async () => {
    const { model, run, done } = await answered(approved);
    const waiting = run.getState();
    expect(waiting.status).toBe('waiting');
    expect(waiting.requests).toMatchObject([
      {
        requestId: 'mcpr_1',
        toolCallId: 'call',
        toolName: 'mcp.pay',
        input: { amount: 5 },
        providerExecuted: true,
      },
    ]);
    expect(own(waiting)?.parts.at(-1)).toMatchObject({
      type: 'dynamic-tool',
      state: 'approval-requested',
      approval: { id: 'mcpr_1' },
    });
    expect(await run.respond('mcpr_1', says(approved))).toEqual({ accepted: true });
    await done;
    const { messages, status } = run.getState();
    expect(status).toBe('done');
    await run.send('Next.');
    const other = await theirs(approved);
    expect(json(own({ messages })?.parts)).toEqual(json(other.message?.parts));
    expect(model.calls.map(({ prompt }) => json(prompt))).toEqual(other.sent);
    expect(JSON.stringify(run.log())).not.toContain('the answers to the approvals');
  });

  test('useChat answers it with addToolApprovalResponse', async () => {
    const model = modelOf(answers(approved));
    const transport = new PromptTransport(open, { model, options: { tools: mcp } });
    const chat = approvingChat({ transport });
    await chat.sendMessage({ text: 'Go.' });
    expect(chat.messages[1]?.parts.at(-1)).toMatchObject({ state: 'approval-requested' });
    await chat.addToolApprovalResponse(answer(approved));
    await vi.waitFor(() => expect(model.calls).toHaveLength(2));
    await vi.waitFor(() => expect(chat.status).toBe('ready'));
    const other = await theirs(approved);
    expect(json(chat.messages[1]?.parts)).toEqual(json(other.message?.parts));
    expect(json(model.calls[1]?.prompt)).toEqual(other.sent[1]);
    await chat.sendMessage({ text: 'Next.' });
    await vi.waitFor(() => expect(model.calls).toHaveLength(3));
    expect(json(model.calls[2]?.prompt)).toEqual(other.sent[2]);
  });
});

test('an answer cannot change what the provider runs', async () => {
  const { run, done } = await answered(true);
  expect(await run.respond('mcpr_1', { approve: true, input: { amount: 1 } })).toEqual({
    accepted: false,
    reason: 'The provider runs mcp.pay itself, with the arguments as they are. Answer without an input.',
  });
  await run.respond('mcpr_1', { approve: true });
  await done;
});

test('a run that is stopped meanwhile says so, and the next request has nothing of the call', async () => {
  const { model, run, done } = await answered(true);
  run.stop();
  await expect(done).rejects.toMatchObject({ code: 'aborted' });
  expect(own(run.getState())?.parts.at(-1)).toMatchObject({
    state: 'output-error',
    errorText: 'The run ended before this was answered.',
  });
  await run.send('Next.');
  expect(JSON.stringify(model.calls.at(-1)?.prompt)).not.toContain('mcp.pay');
});

describe('options.toolApproval', () => {
  const tools: ToolSet = {
    pay: tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 'paid' }),
  };
  const pays: Answer = [{ type: 'tool-call', toolCallId: 'call', toolName: 'pay', input: '{}' }];

  async function play(toolApproval: never, onRequest: (run: Run<never>, id: string) => unknown) {
    const model = modelOf([pays]);
    const run = createRun(asked, { model, options: { tools, toolApproval } });
    run.listen((event: RunEvent) => {
      if (event.type === 'request-open') void onRequest(run, event.requestId);
    });
    await run.start();
    const state = run.getState();
    await run.send('Next.');
    return { state, sent: model.calls.map(({ prompt }) => json(prompt)) };
  }

  test.each([
    ['a map', { pay: { type: 'user-approval', reason: 'It is money.' } }],
    ['a function', async () => ({ type: 'user-approval', reason: 'It is money.' })],
  ])('%s: the run asks, and goes on with the answer', async (_how, toolApproval) => {
    const yes = await play(toolApproval as never, (run, id) => run.respond(id, { approve: true }));
    expect(yes.state.requests).toMatchObject([{ toolName: 'pay', fault: 'It is money.' }]);
    const { requestId } = yes.state.requests[0]!;
    expect(json(own(yes.state)?.parts)).toContainEqual({
      type: 'tool-pay',
      toolCallId: 'call',
      state: 'output-available',
      input: {},
      output: 'paid',
      approval: { id: requestId, requestReason: 'It is money.', approved: true },
    });
    const no = await play(toolApproval as never, (run, id) =>
      run.respond(id, { approve: false, reason: 'No.' }),
    );
    expect(own(no.state)?.parts).toContainEqual(
      expect.objectContaining({
        state: 'output-denied',
        approval: expect.objectContaining({ reason: 'No.' }),
      }),
    );
    expect(JSON.stringify(no.sent[2])).toContain('{"type":"error-text","value":"No."}');
  });

  test.each(['approved', 'denied', { type: 'denied', reason: 'Never.' }, 'not-applicable', undefined])(
    '%o is decided as the AI SDK decides it',
    async (status) => {
      const { state, sent } = await play((() => status) as never, () => expect.unreachable());
      expect(state.requests).toEqual([]);
      const model = modelOf([pays]);
      const result = streamText({
        model,
        tools,
        prompt: 'Go.',
        stopWhen: isStepCount(9),
        toolApproval: (() => status) as never,
      });
      let message: UIMessage | undefined;
      for await (const next of readUIMessageStream({ stream: result.toUIMessageStream() })) message = next;
      const withoutIds = (parts: unknown): unknown =>
        JSON.parse(JSON.stringify(parts).replaceAll(/"id":"[^"]+"/g, '"id":""'));
      expect(withoutIds(own(state)?.parts)).toEqual(withoutIds(message?.parts));
      expect(sent.slice(0, 2)).toEqual(model.calls.map(({ prompt }) => json(prompt)));
      const user = (text: string): UIMessage => ({ id: text, role: 'user', parts: [{ type: 'text', text }] });
      await streamText({
        model,
        tools,
        messages: await convertToModelMessages([user('Go.'), message!, user('Next.')], { tools }),
      }).consumeStream();
      expect(sent[2]).toEqual(json(model.calls[2]?.prompt));
    },
  );
});
