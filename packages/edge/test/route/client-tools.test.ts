import { createRun, definePrompt, tool, viaRoute, type RunEvent } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import { createMemoryLimits, createMemoryRuns } from '@cueline/edge';
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { address, post, testRoute, type TestRoute } from './routes.ts';

const files = definePrompt('files', (prompt) => prompt.$`Which file?`, {
  tools: [
    tool('pickFile', 'Picks a file', z.object({ type: z.string() }), {
      outputSchema: z.object({ name: z.string() }),
    }),
  ],
});
const picks: ScriptedTurn = [{ toolCall: { name: 'pickFile', input: { type: '.txt' } } }];
const setUp = (options: Parameters<typeof testRoute>[1] = {}): TestRoute =>
  testRoute([picks, 'Thanks.'], { definition: files, ...options });
const executorOf = (hub: TestRoute, subject = 'ada') => viaRoute(address, { fetch: hub.fetch(subject) });
const types = (events: readonly RunEvent[]) =>
  events.flatMap(({ type }) => (/^client-tool-|^tool-(start|end|error)/.test(type) ? [type] : []));

test('a call of a client tool is answered by the page', async () => {
  const hub = setUp();
  const pickFile = vi.fn<(input: { type: string }) => { name: string }>(() => ({ name: 'a.txt' }));
  const run = createRun(files, { executor: executorOf(hub), tools: { pickFile } });
  expect(await run.start()).toBe('Thanks.');
  expect(pickFile.mock.calls.map(([input]) => input)).toEqual([{ type: '.txt' }]);
  expect(types(run.log())).toEqual([
    'client-tool-request',
    'client-tool-claim',
    'tool-start',
    'client-tool-response',
    'tool-end',
  ]);
});

test('a call is answered by a reloaded page, also through another instance', async () => {
  const shared = { store: createMemoryRuns(), limitStore: createMemoryLimits() };
  const hub = setUp(shared);
  const before = createRun(files, { executor: executorOf(hub) });
  before.start().catch(() => {});
  await expect.poll(() => before.getState().status).toBe('waiting');
  before.detach();

  const other = setUp(shared);
  const pickFile = vi.fn<() => { name: string }>(() => ({ name: 'a.txt' }));
  const after = createRun(files, {
    executor: executorOf(other),
    log: before.log(),
    tools: { pickFile },
  });
  await after.restored;
  await vi.waitFor(
    () => expect(after.getState()).toMatchObject({ status: 'done', result: 'Thanks.' }),
    5_000,
  );
  expect(pickFile).toHaveBeenCalledOnce();
  expect(other.model.calls).toHaveLength(0);
});

test('the server validates an output and cuts a long one', async () => {
  const wrong = createRun(files, {
    executor: executorOf(setUp()),
    tools: { pickFile: () => ({ name: 7 }) as never },
  });
  await wrong.start();
  expect(wrong.getState().toolCalls[0]?.errorText).toContain("does not fit the tool's outputSchema: name");

  const long = createRun(files, {
    executor: executorOf(setUp()),
    tools: { pickFile: () => ({ name: 'x'.repeat(400_000) }) },
  });
  await long.start();
  const [call] = long.getState().toolCalls;
  expect(call).toMatchObject({ state: 'output-available', output: expect.stringContaining('Cut off') });
  expect(JSON.stringify(long.log()).length).toBeLessThan(600_000);

  const huge = createRun(files, {
    executor: executorOf(setUp()),
    tools: { pickFile: () => ({ name: 'x'.repeat(2_000_000) }) },
  });
  await huge.start();
  expect(huge.getState().toolCalls[0]?.errorText).toContain('larger than');
});

test('another subject can neither begin nor answer a call', async () => {
  const hub = setUp();
  const run = createRun(files, { executor: executorOf(hub) });
  void run.start();
  await expect.poll(() => run.getState().status).toBe('waiting');
  const { runId, clientToolCalls } = run.getState();
  const { clientCallId } = clientToolCalls[0]!;
  const eve = executorOf(hub, 'eve');
  for (const command of [
    { type: 'client-tool-claim', clientCallId, page: 'page-1' },
    { type: 'client-tool-response', clientCallId, response: { output: { name: 'evil.txt' } } },
  ] as const) {
    expect(await eve.send!(runId, command)).toMatchObject({ accepted: false });
  }
  expect(await run.respondToClientTool(clientCallId, { output: { name: 'a.txt' } })).toEqual({
    accepted: true,
  });
  await expect.poll(() => run.getState().status).toBe('done');
});

test.each<[string, object, string]>([
  [
    'an invalid response',
    { type: 'client-tool-response', clientCallId: 'r', response: { value: 1 } },
    'response is not a response',
  ],
  ['a page without an id', { type: 'client-tool-claim', clientCallId: 'r' }, 'page is not a string'],
  [
    'a page with a long id',
    { type: 'client-tool-claim', clientCallId: 'r', page: 'x'.repeat(300) },
    'page is not a string',
  ],
  ['a missing request', { type: 'client-tool-claim', page: 'p' }, 'clientCallId is not a string'],
  [
    'a missing replacement page',
    { type: 'client-tool-claim', clientCallId: 'r', page: 'p', instead: 7 },
    'instead is not a string',
  ],
])('refuses %s', async (_what, body, words) => {
  const hub = setUp();
  const run = createRun(files, { executor: executorOf(hub) });
  void run.start();
  await expect.poll(() => run.getState().status).toBe('waiting');
  const response = await hub.route(post(body, `?run=${run.getState().runId}`));
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(words);
  run.stop();
});

test('a stock chat receives the call, and its next request with the output continues', async () => {
  const hub = setUp();
  const transport = new DefaultChatTransport<UIMessage>({
    api: address,
    fetch: ((url: string, init: RequestInit) => hub.fetch()(new Request(url, init))) as typeof fetch,
  });
  const said: UIMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go.' }] };
  const send = async (messages: UIMessage[]): Promise<UIMessage> => {
    const [last] = messages.slice(-1);
    const stream = await transport.sendMessages({
      chatId: 'chat-1',
      trigger: 'submit-message',
      messageId: undefined,
      messages,
      abortSignal: undefined,
    });
    let message: UIMessage | undefined;
    const opening = last?.role === 'assistant' ? { message: last } : {};
    for await (const next of readUIMessageStream({ stream, ...opening })) message = next;
    return message!;
  };
  const asked = await send([said]);
  const call = asked.parts.find(({ type }) => type === 'tool-pickFile') as Record<string, unknown>;
  expect(call).toMatchObject({ state: 'input-available', input: { type: '.txt' } });
  const answered = {
    ...asked,
    parts: asked.parts.map((part) =>
      part.type === 'tool-pickFile'
        ? ({ ...part, state: 'output-available', output: { name: 'a.txt' } } as typeof part)
        : part,
    ),
  };
  const done = await send([said, answered]);
  expect(done.parts.map(({ type }) => type)).toEqual(['step-start', 'tool-pickFile', 'step-start', 'text']);
  expect(hub.model.calls).toHaveLength(2);
  expect(hub.events.filter(({ type }) => type === 'run-start')).toHaveLength(1);
});

describe('an output that a stock chat sends', () => {
  const said = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go.' }] };
  const chat = (messages: unknown[]): Request => post({ id: 'c', trigger: 'submit-message', messages });
  /** Starts the chat, and returns the request with the output of its tool. */
  const begin = async (hub: TestRoute): Promise<(output: unknown) => Request> => {
    const text = await (await hub.route(chat([said]))).text();
    const toolCallId = /"toolCallId":"([^"]+)"/.exec(text)![1];
    const call = { type: 'tool-pickFile', toolCallId, input: { type: '.txt' }, state: 'output-available' };
    return (output) => chat([said, { id: 'a', role: 'assistant', parts: [{ ...call, output }] }]);
  };
  const hasEnded = (hub: TestRoute): boolean => hub.events.some(({ type }) => type === 'run-end');

  test.each([
    ['with a field __proto__', JSON.parse('{"__proto__":{"admin":true}}') as unknown, 400, 'invalid_body'],
    ['that is too large for a command', { name: 'x'.repeat(600_000) }, 413, 'too_large'],
  ])('%s is refused, and its run still waits', async (_what, output, status, code) => {
    const hub = setUp();
    const answer = await begin(hub);
    const response = await hub.route(answer(output));
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(code);
    expect(hasEnded(hub)).toBe(false);
    expect(await (await hub.route(answer({ name: 'a.txt' }))).text()).toContain('Thanks.');
    expect(hub.model.calls).toHaveLength(2);
  });

  test('is taken later by a run that cannot be read at the moment', async () => {
    const store = createMemoryRuns();
    const here = setUp({ store });
    const there = setUp({ store });
    const answer = await begin(here);
    const failing = vi.spyOn(store, 'read').mockImplementation(() => {
      throw new Error('down');
    });
    expect((await there.route(answer({ name: 'a.txt' }))).status).toBe(503);
    expect(hasEnded(here)).toBe(false);
    expect(there.model.calls).toHaveLength(0);
    failing.mockRestore();
    expect(await (await there.route(answer({ name: 'a.txt' }))).text()).toContain('Thanks.');
  });
});
