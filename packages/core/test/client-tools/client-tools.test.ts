import {
  createRun,
  definePrompt,
  inProcess,
  runPrompt,
  tool,
  viaRoute,
  type Executor,
  type ClientToolContext,
  type ClientToolOptions,
  type ClientToolResponse,
  type ClientToolCallState,
  type Run,
  type RunEvent,
  type RunState,
} from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createHub } from '../support/hub.ts';
import { after, atOnce, nextEvent } from '../support/runs.ts';

const schema = z.object({ types: z.array(z.string()) });
const picked = z.object({ name: z.string(), text: z.string() });
const picks: ScriptedTurn = [{ toolCall: { name: 'pickFile', input: { types: ['.txt'] } } }];
const file = { name: 'a.txt', text: 'Hello.' };

function prompt(options: ClientToolOptions<{ types: string[] }> = { outputSchema: picked }) {
  return definePrompt('files', (prompt) => prompt.$`Which file?`, {
    tools: [tool('pickFile', 'Lets the user pick a file', schema, options)],
  });
}

/** An executor with a model that picks a file and then says so. */
function setUp(turns: readonly ScriptedTurn[] = [picks, 'Thanks.']) {
  const model = scriptedModel(turns);
  const here = inProcess();
  const commands: string[] = [];
  const executor: Executor = {
    start: (request, signal) => here.start({ ...request, model }, signal),
    attach: (...args) => here.attach?.(...args),
    send(runId, command) {
      commands.push(command.type);
      return here.send!(runId, command);
    },
  };
  return { model, executor, commands };
}

const openOf = (run: Run<never>): ClientToolCallState | undefined =>
  run
    .getState()
    .clientToolCalls.find(({ response, withdrawn }) => response === undefined && withdrawn === undefined);

/** The first call, once it is pending. */
async function opened(run: Run<never>): Promise<ClientToolCallState> {
  await vi.waitFor(() => expect(openOf(run)).toBeDefined());
  return openOf(run)!;
}

const told = (events: readonly RunEvent[]): string[] =>
  events.flatMap(({ type }) => (/^(tool-(start|end|error)|client-tool-)/.test(type) ? [type] : []));

describe('a tool without a function', () => {
  test('is answered by the page, and the run continues', async () => {
    const { model, executor, commands } = setUp();
    const contexts: ClientToolContext[] = [];
    const states: RunState[] = [];
    const run = createRun(prompt(), {
      executor,
      schedule: atOnce,
      tools: {
        pickFile: async ({ types }, context) => {
          contexts.push(context);
          expect(types).toEqual(['.txt']);
          await after(5);
          states.push(run.getState());
          return file;
        },
      },
    });
    expect(await run.start()).toBe('Thanks.');
    const state = run.getState();
    expect(states).toMatchObject([{ status: 'waiting', toolCalls: [{ state: 'running' }] }]);
    expect(told(run.log())).toEqual([
      'client-tool-request',
      'client-tool-claim',
      'tool-start',
      'client-tool-response',
      'tool-end',
    ]);
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

  test('on a server, with the events of one in the page', async () => {
    const model = scriptedModel([picks, 'Thanks.']);
    const hub = createHub(prompt(), { model });
    const executor = viaRoute('https://example.test/', { fetch: hub.fetch });
    const run = createRun(prompt(), { executor, schedule: atOnce, tools: { pickFile: () => file } });
    expect(await run.start()).toBe('Thanks.');
    expect(told(run.log())).toEqual([
      'client-tool-request',
      'client-tool-claim',
      'tool-start',
      'client-tool-response',
      'tool-end',
    ]);
  });

  test('waits for a page that comes later', async () => {
    const { executor } = setUp();
    const run = createRun(prompt(), { executor, schedule: atOnce });
    const result = run.start();
    await opened(run);
    expect(run.getState()).toMatchObject({ status: 'waiting', toolCalls: [{ state: 'input-available' }] });
    run.provideTools({ pickFile: () => file });
    expect(await result).toBe('Thanks.');
  });

  test('is answered by hand, once', async () => {
    const { executor } = setUp();
    const run = createRun(prompt(), { executor, schedule: atOnce });
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
    expect(told(run.log())).toEqual(['client-tool-request', 'client-tool-response', 'tool-end']);
  });

  test('is answered by hand, which aborts the function', async () => {
    const { executor } = setUp();
    const aborted = vi.fn<() => void>();
    const run = createRun(prompt(), {
      executor,
      schedule: atOnce,
      tools: {
        pickFile: (_input, { signal }) => new Promise<never>(() => signal.addEventListener('abort', aborted)),
      },
    });
    const result = run.start();
    await nextEvent(run, 'client-tool-claim');
    expect(await run.respondToClientTool(openOf(run)!.clientCallId, { output: file })).toEqual({
      accepted: true,
    });
    expect(await result).toBe('Thanks.');
    expect(aborted).toHaveBeenCalledOnce();
  });

  test('of a run that is stopped aborts the function', async () => {
    const { executor, commands } = setUp();
    const aborted = vi.fn<() => void>();
    const run = createRun(prompt(), {
      executor,
      schedule: atOnce,
      tools: {
        pickFile: (_input, { signal }) => new Promise<never>(() => signal.addEventListener('abort', aborted)),
      },
    });
    const result = run.start().catch(() => 'stopped');
    await nextEvent(run, 'client-tool-claim');
    run.stop();
    expect(await result).toBe('stopped');
    expect(aborted).toHaveBeenCalledOnce();
    expect(commands).toEqual(['client-tool-claim']);
  });

  test.each<[string, (context: ClientToolContext) => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('No file was picked.');
      },
      'No file was picked.',
    ],
    [
      'returns something else than its outputSchema says',
      () => ({ name: 7 }),
      "The page ran pickFile, but what it returned does not fit the tool's outputSchema: name: Invalid input: expected string, received number; text: Invalid input: expected string, received undefined",
    ],
    [
      'returns a file',
      () => new Blob(['a']),
      'pickFile returned a file or bytes, which are not JSON. Return its text, or a data: URL of it.',
    ],
    ['returns no JSON', () => 1n, 'Do not know how to serialize a BigInt'],
  ])('that %s is an error that the model reads', async (_what, pickFile, error) => {
    const { executor, model } = setUp();
    const run = createRun(prompt(), {
      executor,
      schedule: atOnce,
      tools: { pickFile: (_input, context) => pickFile(context) as typeof file },
    });
    expect(await run.start()).toBe('Thanks.');
    expect(run.getState().toolCalls).toMatchObject([{ state: 'output-error', errorText: error }]);
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain(JSON.stringify(error).slice(1, -1));
  });

  test('is an error once its time is up, and the run continues', async () => {
    const { executor } = setUp();
    const run = createRun(prompt({ timeoutMs: 20 }), { executor, schedule: atOnce });
    expect(await run.start()).toBe('Thanks.');
    expect(told(run.log())).toEqual(['client-tool-request', 'client-tool-withdraw', 'tool-error']);
    expect(run.getState().toolCalls[0]?.errorText).toBe(
      'pickFile had no response from the page within 0.02 s. Either no page that shows the run has a function for it (usePrompt(…, { tools: { pickFile: async (input) => … } })), or its user did not respond.',
    );
  });

  test('waits without end if its time is unlimited', async () => {
    const { executor } = setUp();
    const run = createRun(prompt({ timeoutMs: Infinity }), { executor, schedule: atOnce });
    const result = run.start();
    const { clientCallId } = await opened(run);
    await after(20);
    await run.respondToClientTool(clientCallId, { output: 1 });
    expect(await result).toBe('Thanks.');
  });

  test('gives data, also where that looks like a list of parts, and no more of it than other tools', async () => {
    const parts = [
      { type: 'image', image: `data:image/png;base64,${'A'.repeat(300_000)}` },
      { type: 'file', data: 'https://evil.example/', mediaType: 'text/plain' },
    ];
    for (const output of [parts.slice(1), parts]) {
      const { executor, model } = setUp();
      const run = createRun(prompt({}), { executor, schedule: atOnce, tools: { pickFile: () => output } });
      await run.start();
      const result = JSON.stringify(model.calls[1]?.prompt.at(-1));
      expect(result).toMatch(/"output":\{"type":"(json|text)"/);
      expect(result.length).toBeLessThan(300_000);
    }
  });

  test('does not block other tools, however many wait', async () => {
    const calls = Array.from({ length: 9 }, (_, index) => ({
      toolCall: { name: 'pickFile', input: { types: [String(index)] } },
    }));
    const model = scriptedModel([[...calls, { toolCall: { name: 'look', input: {} } }], 'Done.']);
    const looked = vi.fn<() => string>(() => 'seen');
    const { run } = await runPrompt(
      (prompt) => {
        prompt.defTool('pickFile', 'Picks', schema);
        prompt.defTool('look', 'Looks', z.object({}), looked);
        prompt.$`Go.`;
      },
      { model },
    );
    const waiting: string[] = [];
    run.listen((event) => {
      if (event.type === 'client-tool-request') waiting.push(event.clientCallId);
    });
    await vi.waitFor(() => expect([waiting.length, looked.mock.calls.length]).toEqual([9, 1]));
    for (const clientCallId of waiting) void run.respondToClientTool(clientCallId, { output: null });
    expect(await run.finished).toMatchObject({ status: 'done', result: 'Done.' });
  });

  test('runs after its approval, with the arguments that were approved', async () => {
    const { executor } = setUp();
    const pickFile = vi.fn<(input: unknown) => unknown>(() => file);
    const run = createRun(prompt({ needsApproval: true, outputSchema: picked }), {
      executor,
      schedule: atOnce,
      tools: { pickFile: (input) => pickFile(input) as typeof file },
    });
    const result = run.start();
    await vi.waitFor(() => expect(run.getState().approvals).toHaveLength(1));
    const { approvalId } = run.getState().approvals[0]!;
    expect(pickFile).not.toHaveBeenCalled();
    await run.respondToApproval(approvalId, { approved: true, input: { types: ['.md'] } });
    expect(await result).toBe('Thanks.');
    expect(pickFile).toHaveBeenCalledExactlyOnceWith({ types: ['.md'] });
  });

  test('of an agent is answered by the same page', async () => {
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

describe('several pages', () => {
  test('functions that are added later count, and can be removed', async () => {
    const { executor } = setUp([picks, picks, picks, 'Thanks.']);
    const run = createRun(prompt({ repeatable: true }), {
      executor,
      schedule: atOnce,
      tools: { pickFile: () => 'first' },
    });
    const takeBack = run.provideTools({ pickFile: () => 'second' });
    run.listen((event) => event.type === 'tool-end' && takeBack());
    await run.start();
    expect(run.getState().toolCalls.map(({ output }) => output)).toEqual(['second', 'first', 'first']);
  });

  test('two run objects of one page run a call once', async () => {
    const hub = createHub(prompt(), { model: scriptedModel([picks, 'Thanks.']) });
    const executor = viaRoute('https://example.test/', { fetch: hub.fetch });
    const pickFile = vi.fn<() => Promise<typeof file>>(async () => {
      await after(30);
      return file;
    });
    const one = createRun(prompt(), { executor, schedule: atOnce });
    const result = one.start();
    await opened(one);
    const other = createRun(prompt(), { executor, schedule: atOnce, log: one.log(), tools: { pickFile } });
    await other.restored;
    one.provideTools({ pickFile });
    expect(await result).toBe('Thanks.');
    expect(pickFile).toHaveBeenCalledOnce();
  });

  /** A run whose call the page `other` has begun, taken up by this page. */
  async function takenUp(effect: 'read' | 'write' | undefined, other: string) {
    const options: ClientToolOptions = effect === undefined ? {} : { effect };
    const { executor } = setUp();
    const first = createRun(prompt(options), { executor, schedule: atOnce });
    const result = first.start();
    const { clientCallId } = await opened(first);
    const { runId } = first.getState();
    const begin = { type: 'client-tool-claim', clientCallId, page: other } as const;
    expect(await executor.send!(runId, begin)).toEqual({ accepted: true });
    expect(await executor.send!(runId, { ...begin, page: 'third' })).toEqual({
      accepted: false,
      reason: 'Another page runs pickFile already.',
    });
    expect(await executor.send!(runId, begin)).toEqual({ accepted: true });
    first.detach();
    const pickFile = vi.fn<() => typeof file>(() => file);
    const run = createRun(prompt(options), {
      executor,
      schedule: atOnce,
      log: first.log(),
      tools: { pickFile },
    });
    await run.restored;
    return { run, first, result, pickFile, clientCallId };
  }

  /** Is there, as another page is, until the returned function is called. */
  async function beThere(page: string): Promise<() => void> {
    let leave = (): void => {};
    await new Promise<void>((there) => {
      void navigator.locks.request(`cueline:${page}`, () => {
        there();
        return new Promise<void>((resolve) => (leave = resolve));
      });
    });
    return leave;
  }

  test('a call that another page runs waits for that page', async () => {
    const leave = await beThere('page-1');
    const { run, pickFile, clientCallId } = await takenUp('read', 'page-1');
    await after(30);
    expect(pickFile).not.toHaveBeenCalled();
    expect(await run.respondToClientTool(clientCallId, { output: file })).toEqual({ accepted: true });
    await vi.waitFor(() => expect(run.getState().status).toBe('done'));
    leave();
    await after(10);
    expect(pickFile).not.toHaveBeenCalled();
  });

  test('a call that only reads runs again once its page is closed', async () => {
    const leave = await beThere('page-2');
    const { run, pickFile } = await takenUp('read', 'page-2');
    leave();
    await vi.waitFor(() => expect(run.getState().status).toBe('done'));
    expect(pickFile).toHaveBeenCalledOnce();
  });

  test.each(['write', undefined] as const)(
    'and one with the effect %s is not: it may have done its work',
    async (effect) => {
      const { run, pickFile } = await takenUp(effect, `page-3-${effect}`);
      await vi.waitFor(() => expect(run.getState().status).toBe('done'));
      expect(pickFile).not.toHaveBeenCalled();
      expect(run.getState().toolCalls[0]?.errorText).toBe(
        'The page that ran pickFile was closed or reloaded before it answered, so it is not known whether the call has done its work.',
      );
    },
  );

  test('a page whose log does not have the beginning by a page that has gone yet answers as interrupted', async () => {
    const { executor } = setUp();
    const late: Executor = {
      ...executor,
      async send(runId, command) {
        // the beginning by the other page arrives while this page asks for its own
        if (command.type === 'client-tool-claim') {
          await executor.send!(runId, { ...command, page: 'page-gone' });
          await after(20);
        }
        return executor.send!(runId, command);
      },
    };
    const pickFile = vi.fn<() => typeof file>(() => file);
    const run = createRun(prompt({}), { executor: late, schedule: atOnce, tools: { pickFile } });
    expect(await run.start()).toBe('Thanks.');
    expect(pickFile).not.toHaveBeenCalled();
    expect(run.getState().toolCalls[0]?.errorText).toContain(
      'it is not known whether the call has done its work',
    );
  });

  describe('of several browsers', () => {
    // each has locks and a storage of its own
    const notes: Record<string, string> = {};
    const storage = {
      get: () => notes,
      configurable: true,
    };
    beforeAll(
      () =>
        void Object.defineProperty(notes, 'setItem', {
          value: (key: string, value: string) => void (notes[key] = value),
        }),
    );
    beforeEach(() => void Object.defineProperty(globalThis, 'localStorage', storage));
    afterEach(() => void Reflect.deleteProperty(globalThis, 'localStorage'));

    test('a call that a page of another browser has begun is left to that page', async () => {
      const { run, pickFile, clientCallId } = await takenUp(undefined, 'page-elsewhere');
      await after(30);
      expect(run.getState().status).toBe('waiting');
      expect(await run.respondToClientTool(clientCallId, { output: file })).toEqual({ accepted: true });
      await vi.waitFor(() => expect(run.getState().status).toBe('done'));
      expect(pickFile).not.toHaveBeenCalled();
    });

    test('a call that a closed page of this browser has begun is taken over', async () => {
      notes['cueline:page-before'] = String(Date.now());
      const { run, pickFile } = await takenUp('read', 'page-before');
      await vi.waitFor(() => expect(run.getState().status).toBe('done'));
      expect(pickFile).toHaveBeenCalledOnce();
    });
  });
});

describe('a connection that breaks', () => {
  test.each(['client-tool-claim', 'client-tool-response'])(
    'while %s is sent does not lose the call, nor run it twice',
    async (lost) => {
      const model = scriptedModel([picks, 'Thanks.']);
      const hub = createHub(prompt(), { model });
      const pickFile = vi.fn<() => typeof file>(() => file);
      let breaks = 1;
      const fetch = async (request: Request): Promise<Response> => {
        const isIt = (await request.clone().text()).includes(`"type":"${lost}"`);
        const response = await hub.fetch(request);
        // it arrived, and nobody hears of it
        if (isIt && breaks-- > 0) throw new TypeError('reset');
        return response;
      };
      const executor = viaRoute('https://example.test/', { fetch });
      const run = createRun(prompt(), { executor, schedule: atOnce, tools: { pickFile } });
      expect(await run.start()).toBe('Thanks.');
      expect(pickFile).toHaveBeenCalledOnce();
    },
  );
});

test('a function that is missing by mistake is an error, and so is a part of a composite tool', async () => {
  const missing = undefined as unknown as () => string;
  const model = scriptedModel(['Hello.']);
  await expect(
    runPrompt((prompt) => prompt.defTool('look', 'Looks', schema, missing), { model }),
  ).rejects.toThrow('The function of tool look is undefined.');
  await expect(
    runPrompt((prompt) => prompt.defTool('kit', 'All', [tool('look', 'Looks', schema, missing)]), { model }),
  ).rejects.toThrow('The function of tool look is undefined.');
  await expect(
    runPrompt((prompt) => prompt.defTool('kit', 'All', [tool('look', 'Looks', schema)]), { model }),
  ).rejects.toThrow('Tool kit has the part look, which has no function: its calls would run in the page.');
  await expect(
    runPrompt((prompt) => prompt.defTool('look', 'Looks', schema, { onError: () => 1 } as never), { model }),
  ).rejects.toThrow('Tool look has onError but no function');
  await expect(
    runPrompt((prompt) => prompt.defTool('look', 'Looks', schema, { outputSchema: 'text' as never }), {
      model,
    }),
  ).rejects.toThrow("The outputSchema of tool look is 'text'.");
});

test.each<[string, ClientToolResponse]>([
  ['an error that is no text', { error: 7 as never }],
  ['both', { output: 1, error: 'no' }],
  ['a function', { output: () => 1 }],
])('no answer to a client tool: %s', async (_what, answer) => {
  const { executor } = setUp();
  const run = createRun(prompt(), { executor, schedule: atOnce });
  const result = run.start();
  const { clientCallId } = await opened(run);
  expect(await run.respondToClientTool(clientCallId, answer)).toMatchObject({ accepted: false });
  await run.respondToClientTool(clientCallId, { error: 'Enough.' });
  expect(await result).toBe('Thanks.');
});
