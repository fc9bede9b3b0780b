import {
  createRun,
  definePrompt,
  runPrompt,
  tool,
  type ClientToolContext,
  type ClientToolResponse,
  type ClientTools,
  type Prompt,
  type RunState,
} from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { go, throwing } from '../support.ts';
import { createHub } from '../support/memory-route.ts';
import { after, atOnce, memoryStorage, nextEvent } from '../support/runs.ts';
import { file, opened, openOf, picked, picks, prompt, schema, setUp, clientToolEvents } from './files.ts';

/** The events of a call that a page has begun. */
const begun = ['client-tool-request', 'client-tool-claim', 'tool-start'];

/** A page with a run of `definition`, and its tools. */
function openPage(tools: ClientTools = {}, definition = prompt()) {
  const set = setUp();
  return { ...set, run: createRun(definition, { executor: set.executor, schedule: atOnce, tools }) };
}

describe('A tool without a function', () => {
  test('is answered by the page, and the run continues', async () => {
    const contexts: ClientToolContext[] = [];
    const states: RunState[] = [];
    const { run, model, commands } = openPage({
      async pickFile({ types }, context) {
        contexts.push(context);
        expect(types).toEqual(['.txt']);
        await after(5);
        states.push(run.getState());
        return file;
      },
    });
    expect(await run.start()).toBe('Thanks.');
    const state = run.getState();
    expect(states).toMatchObject([{ status: 'waiting', toolCalls: [{ state: 'running' }] }]);
    expect(clientToolEvents(run.log())).toEqual([...begun, 'client-tool-response', 'tool-end']);
    expect(state.toolCalls).toMatchObject([{ state: 'output-available', output: file }]);
    expect(state.clientToolCalls).toMatchObject([
      { toolName: 'pickFile', input: { types: ['.txt'] }, response: { output: file } },
    ]);
    expect(commands).toEqual(['client-tool-claim', 'client-tool-response']);
    expect(contexts).toHaveLength(1);
    expect(contexts[0]).toMatchObject({ toolCallId: state.toolCalls[0]?.toolCallId });
    // answered is over, and nothing is left to stop
    expect(contexts[0]!.signal.aborted).toBe(true);
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
      content: [{ type: 'tool-result', output: { type: 'json', value: file } }],
    });
  });

  test('that no function of the page has the name of is named in the console', async () => {
    vi.stubEnv('NODE_ENV', 'development');
    vi.stubGlobal('document', {});
    onTestFinished(() => {
      vi.restoreAllMocks();
      vi.unstubAllEnvs();
      vi.unstubAllGlobals();
    });
    const info = vi.spyOn(console, 'info').mockReturnValue();
    // the page has warned of no tool of this name yet
    const name = `pickFile${Date.now()}`;
    const model = scriptedModel([[{ toolCall: { name, input: { types: [] } } }], 'Thanks.']);
    const definition = definePrompt('files', (prompt) => prompt.$`Which file?`, {
      tools: [tool(name, 'Lets the user pick a file', schema)],
    });
    const misspelt = Object.fromEntries([['pickfile', () => file]]);
    const run = createRun(definition, { model, schedule: atOnce, tools: misspelt });
    const result = run.start();
    await expect
      .poll(() => info.mock.calls)
      .toEqual([[expect.stringMatching(new RegExp(`"${name}".* only: pickfile\\.`))]]);
    const [call] = run.getState().clientToolCalls;
    await run.respondToClientTool(call!.clientCallId, { output: file });
    expect(await result).toBe('Thanks.');
  });

  test('has the same events on a server as in the page', async () => {
    const model = scriptedModel([picks, 'Thanks.']);
    const hub = createHub(prompt(), { model });
    const run = createRun(prompt(), {
      executor: hub.executor,
      schedule: atOnce,
      tools: { pickFile: () => file },
    });
    expect(await run.start()).toBe('Thanks.');
    expect(clientToolEvents(run.log())).toEqual([...begun, 'client-tool-response', 'tool-end']);
  });

  test('waits for a page that connects later', async () => {
    const { run } = openPage();
    const result = run.start();
    await opened(run);
    expect(run.getState()).toMatchObject({ status: 'waiting', toolCalls: [{ state: 'input-available' }] });
    run.provideTools({ pickFile: () => file });
    expect(await result).toBe('Thanks.');
  });

  test('can be answered in code, once', async () => {
    const { run } = openPage();
    const result = run.start();
    const { clientCallId } = await opened(run);
    expect(await run.respondToClientTool(clientCallId, { approved: true } as never)).toEqual({
      accepted: false,
      reason:
        "This is not a response to the call of a client tool. Give { output } with the result of the call, or { error: 'why' }.",
    });
    expect(await run.respondToClientTool(clientCallId, { output: file })).toEqual({ accepted: true });
    expect(await run.respondToClientTool(clientCallId, { output: file })).toMatchObject({ accepted: false });
    expect(await result).toBe('Thanks.');
    expect(clientToolEvents(run.log())).toEqual(['client-tool-request', 'client-tool-response', 'tool-end']);
  });

  test.each(['answered by hand', 'stopped with its run'])(
    'aborts the function of the page if it is %s',
    async (how) => {
      const aborted = vi.fn<() => void>();
      const pickFile = (_input: unknown, { signal }: ClientToolContext) =>
        new Promise<never>(() => signal.addEventListener('abort', aborted));
      const { run, commands } = openPage({ pickFile });
      const result = run.start().catch(() => 'stopped');
      await nextEvent(run, 'client-tool-claim');
      if (how === 'answered by hand') {
        const { clientCallId } = openOf(run)!;
        expect(await run.respondToClientTool(clientCallId, { output: file })).toEqual({ accepted: true });
        expect(await result).toBe('Thanks.');
      } else {
        run.stop();
        expect(await result).toBe('stopped');
        expect(commands).toEqual(['client-tool-claim']);
      }
      expect(aborted).toHaveBeenCalledOnce();
    },
  );

  test.each<[string, (context: ClientToolContext) => unknown, string]>([
    ['throws', throwing(new Error('No file was picked.')), 'No file was picked.'],
    [
      'returns something else than its outputSchema says',
      () => ({ name: 7 }),
      "The page ran pickFile, but what it returned does not fit the tool's outputSchema: name: Invalid input: expected string, received number; text: Invalid input: expected string, received undefined",
    ],
    [
      'returns a file',
      () => new Blob(['a']),
      'pickFile returned something that is not JSON (it is a file or bytes: return its text, or a data: URL of it). Return plain objects, arrays, strings, numbers.',
    ],
    [
      'returns no JSON',
      () => 1n,
      'pickFile returned something that is not JSON (Do not know how to serialize a BigInt). Return plain objects, arrays, strings, numbers.',
    ],
    [
      'returns a promise inside',
      () => ({ name: Promise.resolve('a') }),
      'pickFile returned something that is not JSON (name is of type Promise, which JSON cannot hold: await it). Return plain objects, arrays, strings, numbers.',
    ],
  ])('that %s is an error that the model reads', async (_what, pickFile, error) => {
    const { run, model } = openPage({ pickFile: (_input, context) => pickFile(context) });
    expect(await run.start()).toBe('Thanks.');
    expect(run.getState().toolCalls).toMatchObject([{ state: 'output-error', errorText: error }]);
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain(JSON.stringify(error).slice(1, -1));
  });

  test('whose function is a tool of the AI SDK says what to write', async () => {
    const { run } = openPage({ pickFile: { execute: () => file } } as never);
    await run.start();
    expect(run.getState().toolCalls[0]?.errorText).toBe(
      "The page's tools.pickFile is an object. Write tools: { pickFile: async (input) => … }.",
    );
  });

  test('times out with an error, and the run continues', async () => {
    const { run } = openPage({}, prompt({ timeoutMs: 20 }));
    expect(await run.start()).toBe('Thanks.');
    expect(clientToolEvents(run.log())).toEqual([
      'client-tool-request',
      'client-tool-withdraw',
      'tool-error',
    ]);
    expect(run.getState().toolCalls[0]?.errorText).toBe(
      'pickFile had no response from the page within 0.02 s. Either no page that shows the run has a function for it (usePrompt(…, { tools: { pickFile: async (input) => … } })), or its user did not respond.',
    );
  });

  test('that only reads is withdrawn and made again by a retry if its page was closed meanwhile', async () => {
    const storage = memoryStorage();
    const reading = prompt({ effect: 'read' });
    const settings = { id: 'files', schedule: atOnce };
    const never = { pickFile: () => new Promise(() => {}) };
    const before = createRun(reading, { ...settings, executor: setUp().executor, storage, tools: never });
    void before.start();
    await expect.poll(() => clientToolEvents(storage.logs.get('files') ?? [])).toContain('tool-start');
    const left = memoryStorage({ files: storage.logs.get('files')! });
    before.stop();

    const { executor } = setUp(['Thanks.']);
    const tools = { pickFile: () => file };
    const run = createRun(reading, { ...settings, executor, storage: left, tools });
    expect(await run.retry()).toBe('Thanks.');
    expect(clientToolEvents(run.log())).toEqual([
      ...begun,
      'client-tool-withdraw',
      ...begun,
      'client-tool-response',
      'tool-end',
    ]);
  });

  test('waits without a limit with timeoutMs: Infinity', async () => {
    const { run } = openPage({}, prompt({ timeoutMs: Infinity }));
    const result = run.start();
    const { clientCallId } = await opened(run);
    await after(20);
    await run.respondToClientTool(clientCallId, { output: 1 });
    expect(await result).toBe('Thanks.');
  });

  test('returns data, even if it looks like a list of parts, with the size limit of other tools', async () => {
    const parts = [
      { type: 'image', image: `data:image/png;base64,${'A'.repeat(300_000)}` },
      { type: 'file', data: 'https://evil.example/', mediaType: 'text/plain' },
    ];
    for (const output of [parts.slice(1), parts]) {
      const { run, model } = openPage({ pickFile: () => output }, prompt({}));
      await run.start();
      const result = JSON.stringify(model.calls[1]?.prompt.at(-1));
      expect(result).toMatch(/"output":\{"type":"(json|text)"/);
      expect(result.length).toBeLessThan(300_000);
    }
  });

  test('does not block other tools, however many calls wait', async () => {
    const calls = Array.from({ length: 9 }, (_, index) => ({
      toolCall: { name: 'pickFile', input: { types: [String(index)] } },
    }));
    const model = scriptedModel([[...calls, { toolCall: { name: 'look', input: {} } }], 'Done.']);
    const looked = vi.fn<() => string>(() => 'seen');
    const { run } = await runPrompt(
      go((prompt) => {
        prompt.defTool('pickFile', 'Picks', schema);
        prompt.defTool('look', 'Looks', z.object({}), looked);
      }),
      { model },
    );
    const waiting: string[] = [];
    run.listen((event) => {
      if (event.type === 'client-tool-request') waiting.push(event.clientCallId);
    });
    await expect.poll(() => [waiting.length, looked.mock.calls.length]).toEqual([9, 1]);
    for (const clientCallId of waiting) void run.respondToClientTool(clientCallId, { output: null });
    expect(await run.finished).toMatchObject({ status: 'done', result: 'Done.' });
  });

  test('runs after its approval, with the arguments that were approved', async () => {
    const pickFile = vi.fn<(input: unknown) => unknown>(() => file);
    const { run } = openPage(
      { pickFile: (input) => pickFile(input) },
      prompt({ needsApproval: true, outputSchema: picked }),
    );
    const result = run.start();
    await expect.poll(() => run.getState().approvals).toHaveLength(1);
    const { approvalId } = run.getState().approvals[0]!;
    expect(pickFile).not.toHaveBeenCalled();
    await run.respondToApproval(approvalId, { approved: true, input: { types: ['.md'] } });
    expect(await result).toBe('Thanks.');
    expect(pickFile).toHaveBeenCalledExactlyOnceWith({ types: ['.md'] });
  });

  test('can be a tool of an agent', async () => {
    const model = scriptedModel([
      [{ toolCall: { name: 'helper', input: {} } }],
      picks,
      'It is a.txt.',
      'Thanks.',
    ]);
    const helped = definePrompt('helped', (prompt) => {
      prompt.defAgent('helper', 'Helps', z.object({}), (_input, agent) => {
        agent.defTool('pickFile', 'Picks', schema);
        agent.$`Pick one.`;
      });
      prompt.$`Go.`;
    });
    const run = createRun(helped, { model, schedule: atOnce, tools: { pickFile: () => file } });
    expect(await run.start()).toBe('Thanks.');
    expect(run.getState().agents[0]?.toolCalls).toMatchObject([{ output: file }]);
  });
});

const missing = undefined as unknown as () => string;
test.each<[string, (prompt: Prompt) => void, string]>([
  [
    'An undefined function',
    (prompt) => prompt.defTool('look', 'Looks', schema, missing),
    'The function of tool look is undefined.',
  ],
  [
    'An undefined function of a part',
    (prompt) => prompt.defTool('kit', 'All', [tool('look', 'Looks', schema, missing)]),
    'The function of tool look is undefined.',
  ],
  [
    'A part without a function',
    (prompt) => prompt.defTool('kit', 'All', [tool('look', 'Looks', schema)]),
    'Tool kit has the part look, which has no function: its calls would run in the page.',
  ],
  [
    'A callback without a function',
    (prompt) => prompt.defTool('look', 'Looks', schema, { onError: () => 1 } as never),
    'Tool look has onError but no function',
  ],
  [
    'An outputSchema that is a text',
    (prompt) => prompt.defTool('look', 'Looks', schema, { outputSchema: 'text' as never }),
    "The outputSchema of tool look is 'text'.",
  ],
])('%s is refused', async (_what, define, message) => {
  await expect(runPrompt(define, { model: scriptedModel(['Hello.']) })).rejects.toThrow(message);
});

test.each<[string, ClientToolResponse]>([
  ['an error that is not a string', { error: 7 as never }],
  ['both an output and an error', { output: 1, error: 'no' }],
  ['a function', { output: () => 1 }],
])('A client tool refuses an answer that is %s', async (_what, answer) => {
  const { run } = openPage();
  const result = run.start();
  const { clientCallId } = await opened(run);
  expect(await run.respondToClientTool(clientCallId, answer)).toMatchObject({ accepted: false });
  await run.respondToClientTool(clientCallId, { error: 'Enough.' });
  expect(await result).toBe('Thanks.');
});
