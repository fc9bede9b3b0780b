import { createRun, definePrompt, type Run, type RunEvent, tool as defTool } from '@cueline/core';
import { defineAgent, runAgentSession, type SessionConfig } from '@cueline/core/agents';
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
import { describe, expect, test } from 'vitest';
import { json, types } from '../support.ts';
import { mcp, modelOf, says, type Answer } from '../support/any-answer.ts';
import { approvingChat } from '../support/chat.ts';
import { nextEvent } from '../support/runs.ts';

const metadata = (id: string) => ({ providerMetadata: { maker: { id } } });
const about = { toolName: 'mcp.pay', providerExecuted: true, dynamic: true } as const;

/** A provider that asks before it calls a tool of its MCP server, and goes on with the answer. */
const asks: Answer = [
  ...says('Let me pay. '),
  { type: 'tool-call', toolCallId: 'call', input: '{"amount":5}', ...about, ...metadata('call') },
  { type: 'tool-approval-request', toolCallId: 'call', approvalId: 'mcpr_1' },
];
const paid: Answer = [
  { type: 'tool-call', toolCallId: 'call', input: '{"amount":5}', ...about },
  { type: 'tool-result', toolCallId: 'call', result: { paid: 5 }, ...about, ...metadata('result') },
  ...says('Paid.'),
];
const refused = says('Then not.');

/** A prompt without messages of its own. */
const open = definePrompt('open', () => {});
const asked = definePrompt('asked', (prompt) => prompt.$`Go.`);
const answers = (approved: boolean): Answer[] => [asks, approved ? paid : refused, refused];
const answer = (approved: boolean) => ({
  id: 'mcpr_1',
  approved,
  ...(approved ? {} : { reason: 'too much' }),
});
const response = (approved: boolean) =>
  approved ? ({ approved: true } as const) : ({ approved: false, reason: 'too much' } as const);

function own({ messages }: { messages: readonly UIMessage[] }): UIMessage | undefined {
  return messages.findLast(({ role }) => role === 'assistant');
}

async function answered(approved: boolean) {
  const model = modelOf(answers(approved));
  const run = createRun(asked, { model, options: { tools: mcp } });
  const done = run.start();
  await nextEvent(run, 'approval-request');
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
  await expect.poll(() => model.calls).toHaveLength(2);
  await expect.poll(() => chat.status).toBe('ready');
  await chat.sendMessage({ text: 'Next.' });
  await expect.poll(() => model.calls).toHaveLength(3);
  return { message: chat.messages[1], sent: model.calls.map(({ prompt }) => json(prompt)) };
}

describe.each([true, false])('a provider that requests an approval: %s', (approved) => {
  test('makes the run wait for respond, with the messages and requests of useChat', async () => {
    const { model, run, done } = await answered(approved);
    const waiting = run.getState();
    expect(waiting.status).toBe('waiting');
    expect(waiting.approvals).toMatchObject([
      {
        approvalId: 'mcpr_1',
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
    expect(await run.respondToApproval('mcpr_1', response(approved))).toEqual({ accepted: true });
    await done;
    const { messages, status } = run.getState();
    expect(status).toBe('done');
    await run.send('Next.');
    const other = await theirs(approved);
    expect(json(own({ messages })?.parts)).toEqual(json(other.message?.parts));
    expect(model.calls.map(({ prompt }) => json(prompt))).toEqual(other.sent);
    expect(JSON.stringify(run.log())).not.toContain('the provider continues');
  });

  test('is answered by useChat with addToolApprovalResponse', async () => {
    const model = modelOf(answers(approved));
    const transport = new PromptTransport(open, { model, options: { tools: mcp } });
    const chat = approvingChat({ transport });
    await chat.sendMessage({ text: 'Go.' });
    expect(chat.messages[1]?.parts.at(-1)).toMatchObject({ state: 'approval-requested' });
    await chat.addToolApprovalResponse(answer(approved));
    await expect.poll(() => model.calls).toHaveLength(2);
    await expect.poll(() => chat.status).toBe('ready');
    const other = await theirs(approved);
    expect(json(chat.messages[1]?.parts)).toEqual(json(other.message?.parts));
    expect(json(model.calls[1]?.prompt)).toEqual(other.sent[1]);
    await chat.sendMessage({ text: 'Next.' });
    await expect.poll(() => model.calls).toHaveLength(3);
    expect(json(model.calls[2]?.prompt)).toEqual(other.sent[2]);
  });
});

test('does not accept other arguments', async () => {
  const { run, done } = await answered(true);
  expect(await run.respondToApproval('mcpr_1', { approved: true, input: { amount: 1 } })).toEqual({
    accepted: false,
    reason: 'The provider runs mcp.pay itself, with the arguments as they are. Respond without an input.',
  });
  await run.respondToApproval('mcpr_1', { approved: true });
  await done;
});

test('leaves nothing of the call in the next request if the run is stopped meanwhile', async () => {
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

/** The messages of a request after its first user message. */
function saidAfter({ prompt }: { prompt: { role: string }[] }): unknown {
  return json(prompt.slice(prompt.findIndex(({ role }) => role === 'user') + 1));
}

/** Answers what a run asks, as it asks. */
function answerAll(run: Pick<Run<never>, 'listen' | 'respondToApproval'>, approved: boolean): void {
  run.listen((event: RunEvent) => {
    if (event.type === 'approval-request') void run.respondToApproval(event.approvalId, response(approved));
  });
}

/** What the model is sent once a plain run has the answer. */
async function sentByRun(approved: boolean): Promise<unknown> {
  const { model, run, done } = await answered(approved);
  await run.respondToApproval('mcpr_1', response(approved));
  await done;
  return saidAfter(model.calls[1]!);
}

describe.each([true, false])('in a session: %s', (approved) => {
  const completes: Answer = [
    { type: 'tool-call', toolCallId: 'done', toolName: 'task_complete', input: '{"summary":"Over."}' },
  ];
  const config = { systemPrompt: 'Pay.', initialMessage: 'Go.', tools: mcp } satisfies Partial<SessionConfig>;

  test('the session waits for respond, and continues with the answer', async () => {
    const model = modelOf([asks, approved ? paid : refused, completes]);
    const turns: number[] = [];
    const kept: number[] = [];
    const session = runAgentSession(model, {
      ...config,
      callbacks: {
        onTurnStart: (_id, turn) => void turns.push(turn),
        onMessagesUpdate: (_id, messages) => void kept.push(messages.length),
      },
    });
    await nextEvent(session.run, 'approval-request');
    expect(session.run.getState()).toMatchObject({
      status: 'waiting',
      approvals: [{ approvalId: 'mcpr_1' }],
    });
    // what the provider asks is kept before there is an answer
    expect(kept.at(-1)).toBe(2);
    expect(await session.run.respondToApproval('mcpr_1', response(approved))).toEqual({ accepted: true });
    expect(await session).toMatchObject({ completionReason: 'task_complete', totalTurns: 3 });
    expect(saidAfter(model.calls[1]!)).toEqual(await sentByRun(approved));
    expect(turns).toEqual([1, 2, 3]);
    const { messages } = await session;
    expect(messages[2]).toMatchObject({
      role: 'tool',
      content: expect.arrayContaining([
        expect.objectContaining({ type: 'tool-approval-response', approvalId: 'mcpr_1', approved }),
      ]),
    });
    expect(JSON.stringify([messages, session.run.log()])).not.toContain('the provider continues');
  });

  test('the session requests no approval without a turn left', async () => {
    const model = modelOf([asks]);
    const session = runAgentSession(model, { ...config, maxTurns: 1 });
    expect(await session).toMatchObject({ completionReason: 'max_turns', totalTurns: 1 });
    expect(types(session.run.log())).not.toContain('approval-request');
  });

  test('a session that is stored while it waits can continue', async () => {
    const model = modelOf([asks]);
    const session = runAgentSession(model, config);
    await nextEvent(session.run, 'approval-request');
    session.stop();
    const { messages } = await session;
    expect(JSON.stringify(messages)).toContain('mcpr_1');
    const later = modelOf([completes]);
    const { completionReason } = await runAgentSession(later, { ...config, initialMessages: messages });
    expect(completionReason).toBe('task_complete');
    // it can no longer be answered
    expect(JSON.stringify(later.calls[0]!.prompt)).not.toContain('mcp');
    expect(JSON.stringify(later.calls[0]!.prompt)).toContain('Let me pay.');
  });
});

describe.each([true, false])('in an agent call: %s', (approved) => {
  const payer = defineAgent({ name: 'payer', instructions: 'Pay.', tools: mcp });
  const last = approved ? 'Paid.' : 'Then not.';

  test('the run of the call requests it, and the call continues with the answer', async () => {
    const model = modelOf([asks, approved ? paid : refused]);
    const { output, dialog } = await payer.call('Go.', { model, onRun: (run) => answerAll(run, approved) });
    expect(output).toBe(last);
    expect(saidAfter(model.calls[1]!)).toEqual(await sentByRun(approved));
    const again = modelOf([refused]);
    await payer.call('And now?', { model: again, dialog });
    expect(json(again.calls[0]!.prompt).slice(0, 4)).toEqual(json(model.calls[1]!.prompt));
  });

  test('the run around the call requests it', async () => {
    const inner = modelOf([asks, approved ? paid : refused]);
    const outer = modelOf([[{ type: 'tool-call', toolCallId: 'ask', toolName: 'ask', input: '{}' }]]);
    const ask = defTool('ask', 'Asks', jsonSchema({ type: 'object' }), async (_args, context) => {
      const { output } = await payer.call('Go.', { context, model: inner });
      return output;
    });
    const run = createRun(
      definePrompt('outer', (prompt) => prompt.$`Go.`, { tools: [ask] }),
      { model: outer },
    );
    answerAll(run, approved);
    await run.start();
    const { approvals, toolCalls } = run.getState();
    expect(approvals).toMatchObject([
      { approvalId: 'mcpr_1', agent: expect.any(String), providerExecuted: true },
    ]);
    expect(toolCalls[0]).toMatchObject({ output: last });
  });
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
      if (event.type === 'approval-request') void onRequest(run, event.approvalId);
    });
    await run.start();
    const state = run.getState();
    await run.send('Next.');
    return { state, sent: model.calls.map(({ prompt }) => json(prompt)) };
  }

  test.each([
    ['a map', { pay: { type: 'user-approval', reason: 'It is money.' } }],
    ['a function', async () => ({ type: 'user-approval', reason: 'It is money.' })],
  ])('%s: the run requests the approval, and continues with the answer', async (_how, toolApproval) => {
    const yes = await play(toolApproval as never, (run, id) => run.respondToApproval(id, { approved: true }));
    expect(yes.state.approvals).toMatchObject([{ toolName: 'pay', reason: 'It is money.' }]);
    const { approvalId } = yes.state.approvals[0]!;
    expect(json(own(yes.state)?.parts)).toContainEqual({
      type: 'tool-pay',
      toolCallId: 'call',
      state: 'output-available',
      input: {},
      output: 'paid',
      approval: { id: approvalId, requestReason: 'It is money.', approved: true },
    });
    const no = await play(toolApproval as never, (run, id) =>
      run.respondToApproval(id, { approved: false, reason: 'No.' }),
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
    '%o is handled as in the AI SDK',
    async (status) => {
      const { state, sent } = await play((() => status) as never, () => expect.unreachable());
      expect(state.approvals).toEqual([]);
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

describe('a tool that has no function', () => {
  const schema = jsonSchema({ type: 'object' });
  const pick = tool({ inputSchema: schema });
  const picks: Answer = [{ type: 'tool-call', toolCallId: 'call', toolName: 'pick', input: '{}' }];

  test.each<[string, object, calls: number]>([
    ['needsApproval', { tools: { pick: tool({ inputSchema: schema, needsApproval: true }) } }, 0],
    ['options.toolApproval', { tools: { pick }, toolApproval: { pick: 'user-approval' } }, 0],
    ['options.toolApproval', { tools: { pick }, toolApproval: { pick: { type: 'user-approval' } } }, 0],
    // what these say is known with the call
    ['options.toolApproval', { tools: { pick }, toolApproval: { pick: () => 'user-approval' } }, 1],
    ['options.toolApproval', { tools: { pick }, toolApproval: () => 'user-approval' }, 1],
  ])('%s cannot ask for it: %j', async (asks, options, calls) => {
    const model = modelOf([picks]);
    const run = createRun(asked, { model, options });
    await expect(run.start()).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringMatching(
        new RegExp(`${asks} asks for an approval of pick, which has no execute.*Give the tool an execute`),
      ),
    });
    expect([run.getState().approvals, model.calls.length]).toEqual([[], calls]);
  });

  test('tools that the provider runs and tools without approval are accepted', async () => {
    const tools: ToolSet = { ...mcp, pick: tool({ inputSchema: schema, needsApproval: false }) as never };
    const run = createRun(asked, {
      model: modelOf([picks]),
      options: { tools, toolApproval: { mcp: 'user-approval', pick: 'approved' } as never },
    });
    await run.start();
    expect(run.getState()).toMatchObject({
      status: 'done',
      approvals: [],
      toolCalls: [{ toolName: 'pick' }],
    });
  });
});
