import {
  definePlugin,
  reduceAll,
  runPrompt,
  type RunHandle,
  type Prompt,
  type PromptConfig,
  type PromptSource,
  type RunEvent,
} from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent.ts';
import { call, go, json, play, types } from '../support.ts';
import { after } from '../support/runs.ts';

const none = z.object({});

/** Rejections that nobody has caught, of everything that a test did. */
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(async () => {
  // they are told at the end of a turn of the event loop
  await after(5);
  process.off('unhandledRejection', note);
  if (unhandled.length > 0) throw new AggregateError(unhandled, 'Rejections that nobody caught');
});

/** Every promise that the AI SDK's result has, by name. */
function promisesOf(result: object): Record<string, Promise<unknown>> {
  const found: Record<string, Promise<unknown>> = {};
  for (
    let level: object = result;
    level !== Object.prototype;
    level = Object.getPrototypeOf(level) as object
  ) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(level))) {
      if (get === undefined || /stream/i.test(name)) continue;
      const value: unknown = (result as Record<string, unknown>)[name];
      if (value instanceof Promise) found[name] = value;
      else if (typeof (value as PromiseLike<unknown> | undefined)?.then === 'function') {
        found[name] = Promise.resolve(value);
      }
    }
  }
  return found;
}

/** The run, an agent, an agent of it, and a tool of that one. */
const threeLevels =
  (deepest: (signal: AbortSignal | undefined, prompt: Prompt) => unknown): PromptSource =>
  (prompt) => {
    prompt.defAgent('outer', '', none, (_outer, first) => {
      first.defAgent('inner', '', none, (_inner, second) => {
        second.defTool('work', '', none, (_args, { abortSignal }) => deepest(abortSignal, second));
        second.$`Work.`;
      });
      first.$`Call inner.`;
    });
    prompt.$`Call outer.`;
  };
const down: readonly ScriptedTurn[] = [[call('outer')], [call('inner')], [call('work')]];

describe('an agent tree that is aborted at its deepest tool, which does not listen', () => {
  async function abortedAt(
    abort: (run: RunHandle, controller: AbortController) => void,
    turns: readonly ScriptedTurn[] = [...down, 'Never.', 'Never.', 'Never.'],
  ) {
    const controller = new AbortController();
    const model = scriptedModel(turns);
    let signal: AbortSignal | undefined;
    const { run, result } = await runPrompt(
      threeLevels((given) => {
        signal = given;
        setTimeout(() => abort(run, controller), 5);
        return new Promise(() => {});
      }),
      { model, options: { abortSignal: controller.signal } },
    );
    const promises = promisesOf(result);
    expect(Object.keys(promises)).toEqual(
      expect.arrayContaining([
        'text',
        'usage',
        'steps',
        'toolCalls',
        'toolResults',
        'finishReason',
        'response',
      ]),
    );
    const settled = Promise.all(
      Object.entries(promises).map(async ([name, promise]) => {
        try {
          await promise;
          return `${name} resolves`;
        } catch {
          return `${name} rejects`;
        }
      }),
    );
    const state = await run.finished;
    const { length } = run.log();
    const outcomes = await settled;
    await after(30);
    expect(run.log()).toHaveLength(length);
    expect(model.calls).toHaveLength(3);
    return { state, outcomes, events: run.log(), signal };
  }

  test.each<[string, (run: RunHandle, controller: AbortController) => void]>([
    ['run.stop()', (run) => run.stop()],
    ['options.abortSignal', (_run, controller) => controller.abort('the page was left')],
  ])('by %s', async (_how, abort) => {
    const { state, outcomes, events, signal } = await abortedAt(abort);
    expect(state.status).toBe('stopped');
    expect(outcomes.filter((outcome) => outcome.endsWith('resolves'))).toEqual([]);
    expect(signal?.aborted).toBe(true);
    expect(events.filter(({ type }) => type === 'run-end')).toEqual([events.at(-1)]);
    expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
    expect(state.agents.map(({ path, status }) => [path, status])).toEqual([
      ['call-0-0', 'stopped'],
      ['call-0-0/call-1-0', 'stopped'],
    ]);
    const calls = [state, ...state.agents].flatMap(({ toolCalls }) => toolCalls);
    expect(calls.map(({ toolName, state }) => `${toolName} ${state}`)).toEqual([
      'outer interrupted',
      'inner interrupted',
      'work interrupted',
    ]);
    expect(reduceAll(json(events))).toEqual(state);
  });

  test('where the tool beside it has long ended, and one more waits for a place', async () => {
    let release = 0;
    const { run } = await runPrompt(
      go((prompt) =>
        prompt.defAgent('outer', '', none, (_args, own) => {
          own.defTool('wait', '', z.object({ n: z.number() }), ({ n }) => {
            release += 1;
            if (n === 0) return 'at once';
            setTimeout(() => run.stop(), 5);
            return new Promise(() => {});
          });
          own.$`Wait.`;
        }),
      ),
      {
        model: scriptedModel([[call('outer')], [0, 1, 2, 3].map((n) => call('wait', { n }))]),
        options: { limits: { concurrentToolCalls: 2 } },
      },
    );
    const state = await run.finished;
    expect(state.status).toBe('stopped');
    expect(state.agents[0]!.toolCalls.map(({ state }) => state)).toEqual([
      'output-available',
      'interrupted',
      'interrupted',
      'interrupted',
    ]);
    await after(20);
    expect(release).toBe(3);
  });

  test('while the agent’s function still says what to send: nothing is sent', async () => {
    const model = scriptedModel([[call('slow')], 'Never.']);
    const { run } = await runPrompt(
      go((prompt) =>
        prompt.defAgent('slow', '', none, async (_args, own) => {
          run.stop();
          await after(10);
          own.$`Late.`;
        }),
      ),
      { model },
    );
    const state = await run.finished;
    await after(30);
    expect(model.calls).toHaveLength(1);
    expect(types(run.log()).at(-1)).toBe('run-end');
    expect(state.agents).toEqual([]);
  });
});

describe('what goes wrong deep down', () => {
  test('the deepest tool throws: its agent is told, and all goes on', async () => {
    const { model, state } = await play(
      threeLevels(() => {
        throw new Error('no such file');
      }),
      [...down, 'There is no file.', 'Inner found none.', 'None.'],
    );
    expect(state).toMatchObject({ status: 'done', text: 'None.' });
    expect(
      sent(model)
        .slice(3)
        .map(({ messages }) => messages.at(-1)),
    ).toEqual([
      'work fails: Error: no such file',
      'inner answers There is no file.',
      'outer answers Inner found none.',
    ]);
    expect(state.agents.map(({ status }) => status)).toEqual(['done', 'done']);
  });

  test('the deepest agent’s model fails: its parent gets a sentence, and nothing else of it', async () => {
    const { model, state } = await play(
      threeLevels(() => 'SECRET RESULT'),
      [
        ...down.slice(0, 2),
        ['SECRET THOUGHT', call('work')],
        [{ throw: { message: 'SECRET PROMPT is too long', status: 400 } }],
        'Inner failed.',
        'It failed.',
      ],
    );
    expect(state).toMatchObject({ status: 'done', text: 'It failed.' });
    const [, , , , outer, top] = sent(model);
    expect(outer!.messages).toEqual([
      'user: Call inner.',
      'assistant calls inner {}',
      expect.stringMatching(/^inner fails: The agent inner gave no answer: .{1,200}$/) as string,
    ]);
    expect(top!.messages).toEqual([
      'user: Call outer.',
      'assistant calls outer {}',
      'outer answers Inner failed.',
    ]);
    expect(state.agents.map(({ status }) => status)).toEqual(['done', 'error']);
    expect(state.agents[1]).toMatchObject({ error: { code: 'context_overflow' } });
  });

  test('a failure that may pass is tried again, and leaves no trace', async () => {
    const busy: ScriptedTurn = [
      { throw: { message: 'busy', status: 503, headers: { 'retry-after-ms': '1' } } },
    ];
    const { state } = await play(
      threeLevels(() => 'ok'),
      [...down, busy, 'Fine.', 'Fine.', 'Fine.'],
    );
    expect(state).toMatchObject({ status: 'done', text: 'Fine.' });
  });

  test.each<[string, string, NonNullable<PromptConfig['options']>['limits'], readonly ScriptedTurn[]]>([
    ['steps', 'steps', { steps: 3 }, [...down, 'Never.']],
    ['tool calls', 'toolCalls', { toolCalls: 2 }, [...down, 'Never.']],
    [
      'tokens',
      'tokens',
      { tokens: 100 },
      [
        ...down.slice(0, 2),
        [call('work'), { finish: { usage: { inputTokens: 90, outputTokens: 90 } } }],
        'Never.',
      ],
    ],
  ])('too many %s end the whole run', async (_what, limit, limits, turns) => {
    const { result, model, state, events } = await play(
      threeLevels(() => 'ok'),
      turns,
      { options: { limits } },
    );
    expect(state).toMatchObject({
      status: 'error',
      error: { code: 'budget_exceeded', details: { limit } },
    });
    expect(model.calls).toHaveLength(3);
    expect(types(events).filter((type) => type === 'run-end')).toHaveLength(1);
    await expect(Promise.resolve(result.text)).rejects.toMatchObject({ code: 'budget_exceeded' });
    expect(state.agents.every(({ status }) => status === 'stopped' || status === 'error')).toBe(true);
  });

  test('a loop ends the whole run', async () => {
    const { result, state } = await play(
      threeLevels(() => 'ok'),
      [...down, ...Array.from({ length: 8 }, () => [call('work')])],
    );
    expect(state).toMatchObject({
      status: 'error',
      error: { code: 'loop_detected', details: { toolName: 'work', calls: 6 } },
    });
    await expect(Promise.resolve(result.text)).rejects.toMatchObject({ code: 'loop_detected' });
    expect(state.agents[1]!.toolCalls).toHaveLength(6);
  });

  test.each<[string, (prompt: Prompt) => void, string]>([
    [
      'throws',
      () => {
        throw new TypeError('x is not a function');
      },
      'x is not a function',
    ],
    ['says nothing', () => {}, 'has no message'],
    ['makes a mistake', (own) => own.defSystem('', 'x'), 'cannot name a part'],
  ])('an agent’s function that %s is an error of that call', async (_what, define, text) => {
    const { model, state } = await play(
      go((prompt) => prompt.defAgent('broken', '', none, (_args, own) => define(own))),
      [[call('broken')], 'It is broken.'],
    );
    expect(state).toMatchObject({ status: 'done', agents: [] });
    expect(sent(model)[1]!.messages.at(-1)).toContain(text);
  });

  test('an agent’s model that nobody knows is an error of that call', async () => {
    const { model, state } = await play(
      go((prompt) => prompt.defAgent('lost', '', none, (_args, own) => own.$`Go.`, { model: 'nobody:x' })),
      [[call('lost')], 'It has no model.'],
      { env: {} },
    );
    expect(state.status).toBe('done');
    expect(sent(model)[1]!.messages.at(-1)).toContain('Unknown provider "nobody"');
  });
});

test('agents of one step work at the same time, each in its own part of the log', async () => {
  const slow = scriptedModel([[{ delay: 30 }, { text: 'slow answer', chunkSize: 3 }]], { modelId: 'slow' });
  const fast = scriptedModel([[call('peek')], [{ text: 'fast answer', chunkSize: 3 }]], { modelId: 'fast' });
  const { run, model } = await play(
    (prompt) => {
      prompt.defAgent('tortoise', '', none, (_args, own) => own.$`Slowly.`, { model: slow });
      prompt.defAgent(
        'hare',
        '',
        none,
        (_args, own) => {
          own.defTool('peek', '', none, () => 'peeked');
          own.$`Quickly.`;
        },
        { model: fast },
      );
      prompt.$`Race.`;
    },
    [[call('tortoise'), call('hare')], 'The hare was first.'],
  );
  expect(run.getState().status).toBe('done');
  expect(sent(model)[1]!.messages).toEqual([
    'user: Race.',
    'assistant calls tortoise {}',
    'assistant calls hare {}',
    'tortoise answers slow answer',
    'hare answers fast answer',
  ]);
  expect(
    run.getState().agents.map(({ name, text, path, toolCallId, model, status }) => ({
      name,
      text,
      path,
      toolCallId,
      model,
      status,
    })),
  ).toEqual([
    {
      name: 'tortoise',
      text: 'slow answer',
      path: 'call-0-0',
      toolCallId: 'call-0-0',
      model: 'simulated:slow',
      status: 'done',
    },
    {
      name: 'hare',
      text: 'fast answer',
      path: 'call-0-1',
      toolCallId: 'call-0-1',
      model: 'simulated:fast',
      status: 'done',
    },
  ]);
  const ends = run.log().flatMap(({ type, agent }) => (type === 'agent-end' ? [agent] : []));
  expect(ends).toEqual(['call-0-1', 'call-0-0']);
  expect(run.getState().toolCalls.map(({ state }) => state)).toEqual([
    'output-available',
    'output-available',
  ]);
});

test('the same agent twice in one step, and once more under an id that was used', async () => {
  const { state } = await play(
    go((prompt) =>
      prompt.defAgent('echo', '', z.object({ n: z.number() }), ({ n }, own) => own.$`Say ${n}.`, {
        model: scriptedModel([['a', { delay: 5 }], ['b', { delay: 5 }], 'c']),
      }),
    ),
    [[call('echo', { n: 1 }, 'x'), call('echo', { n: 2 }, 'y')], [call('echo', { n: 3 }, 'x')], 'Done.'],
  );
  expect(state.agents.map(({ path, input, text }) => [path, input, text])).toEqual([
    ['x', { n: 1 }, 'a'],
    ['y', { n: 2 }, 'b'],
    ['x~2', { n: 3 }, 'c'],
  ]);
});

test('an agent with a task list, hooks and plugins of its own, inside a task', async () => {
  const ruler = definePlugin({
    name: 'ruler',
    setup(prompt) {
      prompt.defTool('measure', '', none, () => '7 cm');
      return { unit: (name: string) => prompt.def('UNIT', name) };
    },
  });
  const { model, state } = await play(
    go((prompt) =>
      prompt.defTaskList([
        {
          task: 'Ask the surveyor',
          extend(own) {
            own.defAgent(
              'surveyor',
              '',
              none,
              (_args, agent) => {
                agent.unit('cm');
                agent.defTaskList([{ task: 'Measure' }, { task: 'Report' }]);
                agent.defHook(({ stepNumber }) => ({
                  variables: { STEP: { type: 'string', value: String(stepNumber) } },
                }));
                agent.$`Survey.`;
              },
              { plugins: [ruler] },
            );
          },
        },
        { task: 'Write it down' },
      ]),
    ),
    [
      [call('surveyor')],
      [call('measure'), call('finishTask', { result: '7' })],
      [call('finishTask', { result: 'reported' })],
      'It is 7 cm.',
      [call('finishTask', { result: '7 cm' })],
      [call('finishTask', { result: 'written' })],
      'Done.',
    ],
  );
  expect(state).toMatchObject({ status: 'done', text: 'Done.' });
  expect(sent(model)).toMatchInlineSnapshot(`
    [
      {
        "messages": [
          "user: Go.",
          "user: [Task 1/2] Ask the surveyor

    Upcoming tasks:
    2. Write it down",
        ],
        "tools": [
          "startTask",
          "finishTask",
          "surveyor",
        ],
      },
      {
        "messages": [
          "user: Survey.",
          "user: [Task 1/2] Measure

    Upcoming tasks:
    2. Report",
        ],
        "system": "Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

    <UNIT>cm</UNIT>
    <STEP>0</STEP>",
        "tools": [
          "measure",
          "startTask",
          "finishTask",
        ],
      },
      {
        "messages": [
          "user: Survey.",
          "user: Completed tasks:
    1. Measure → 7

    [Task 2/2] Report",
        ],
        "system": "Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

    <UNIT>cm</UNIT>
    <STEP>1</STEP>",
        "tools": [
          "measure",
          "startTask",
          "finishTask",
        ],
      },
      {
        "messages": [
          "user: Survey.",
          "user: Completed tasks:
    1. Measure → 7
    2. Report → reported

    All tasks are completed. Give your final answer.",
          "assistant calls finishTask {"result":"reported"}",
          "finishTask answers ✓ All tasks completed successfully! The task list is complete.",
        ],
        "system": "Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

    <UNIT>cm</UNIT>
    <STEP>2</STEP>",
        "tools": [
          "measure",
          "startTask",
          "finishTask",
        ],
      },
      {
        "messages": [
          "user: Go.",
          "user: [Task 1/2] Ask the surveyor

    Upcoming tasks:
    2. Write it down",
          "assistant calls surveyor {}",
          "surveyor answers It is 7 cm.",
        ],
        "tools": [
          "startTask",
          "finishTask",
          "surveyor",
        ],
      },
      {
        "messages": [
          "user: Go.",
          "user: Completed tasks:
    1. Ask the surveyor → 7 cm

    [Task 2/2] Write it down",
        ],
        "tools": [
          "startTask",
          "finishTask",
        ],
      },
      {
        "messages": [
          "user: Go.",
          "user: Completed tasks:
    1. Ask the surveyor → 7 cm
    2. Write it down → written

    All tasks are completed. Give your final answer.",
          "assistant calls finishTask {"result":"written"}",
          "finishTask answers ✓ All tasks completed successfully! The task list is complete.",
        ],
        "tools": [
          "startTask",
          "finishTask",
        ],
      },
    ]
  `);
  const [agent] = state.agents;
  expect(agent!.tasks.map(({ id, title, status }) => [id, title, status])).toEqual([
    ['task-1', 'Measure', 'completed'],
    ['task-2', 'Report', 'completed'],
  ]);
  expect(state.tasks.map(({ title, result }) => [title, result])).toEqual([
    ['Ask the surveyor', '7 cm'],
    ['Write it down', 'written'],
  ]);
  expect(agent!.variables).toEqual({
    UNIT: { kind: 'text', value: 'cm' },
    STEP: { kind: 'text', value: '2' },
  });
  expect(state.variables).toEqual({});
});

test('an agent whose tasks stay open is an error of its call', async () => {
  const { model, state } = await play(
    go((prompt) =>
      prompt.defAgent('lazy', '', none, (_args, own) => {
        own.defTaskList([{ task: 'Work' }], { maxNudges: 1 });
        own.$`Go.`;
      }),
    ),
    [[call('lazy')], 'No.', 'Still no.', 'It is lazy.'],
  );
  expect(state).toMatchObject({
    status: 'done',
    agents: [{ status: 'error', error: { code: 'tasks_incomplete' } }],
  });
  expect(sent(model)[3]!.messages.at(-1)).toBe(
    'lazy fails: The agent lazy gave no answer: The model stopped with a task open: “Work”.',
  );
});

test('an edit of an agent’s tasks, by its path', async () => {
  const { run } = await runPrompt(
    go((prompt) =>
      prompt.defAgent('worker', '', none, (_args, own) => {
        own.defTaskList([{ task: 'One' }, { task: 'Two' }]);
        own.$`Go.`;
      }),
    ),
    {
      model: scriptedModel([[call('worker')], [call('finishTask', { result: '1' })], 'Done.', 'Done.']),
    },
  );
  const replies: unknown[] = [];
  run.listen((event) => {
    if (event.type !== 'step-start' || event.agent === undefined || event.step !== 0) return;
    replies.push(run.edit({ type: 'skip', taskId: 'task-2' }, 'call-0-0'));
    replies.push(run.edit({ type: 'skip', taskId: 'task-2' }));
    replies.push(run.edit({ type: 'skip', taskId: 'task-2' }, 'elsewhere'));
  });
  const state = await run.finished;
  expect(await Promise.all(replies)).toEqual([
    { accepted: true },
    { accepted: false, reason: 'The run has no task list.' },
    { accepted: false, reason: 'The agent elsewhere has no task list.' },
  ]);
  expect(state.status).toBe('done');
  expect(state.agents[0]!.tasks.map(({ status }) => status)).toEqual(['completed', 'skipped']);
});

describe('depth', () => {
  const recursive = (prompt: Prompt): void => {
    prompt.defAgent('dig', '', z.object({ n: z.number() }), (_args, own) => recursive(own));
    prompt.$`Dig.`;
  };
  const digs = (count: number) => Array.from({ length: count }, (_, n) => [call('dig', { n })]);

  test('an agent that calls itself goes five levels deep', async () => {
    const { model, state } = await play(recursive, [...digs(6), ...Array<string>(6).fill('Up.')]);
    expect(state.status).toBe('done');
    expect(state.agents).toHaveLength(5);
    expect(sent(model)[6]!.messages.at(-1)).toBe(
      'dig fails: Agents may go 5 levels deep, and this is one more. Where that is too little, raise options.limits.depth; Infinity means no limit.',
    );
  });

  test.each([
    [0, 0],
    [1, 1],
    [7, 7],
  ])('with a limit of %i, %i', async (depth, agents) => {
    const turns = [...digs(depth + 1), ...Array<string>(depth + 1).fill('Up.')];
    const { state } = await play(recursive, turns, { options: { limits: { depth } } });
    expect(state.status).toBe('done');
    expect(state.agents).toHaveLength(agents);
  });

  test('one that never stops digging ends with the steps of the run', async () => {
    const { state } = await play(recursive, digs(60), { options: { limits: { depth: Infinity } } });
    expect(state).toMatchObject({
      status: 'error',
      error: { code: 'budget_exceeded', details: { limit: 'steps' } },
    });
  });
});

describe('responseSchema', () => {
  const schema = z.object({ city: z.string(), days: z.number().int() });
  const planner: PromptSource = (prompt) => {
    prompt.defAgent('plan', '', none, (_args, own) => own.$`Plan.`, { responseSchema: schema });
    prompt.$`Go.`;
  };
  const good = '{"city":"Faro","days":3}';

  test.each<[string, string, unknown]>([
    ['as it is', good, { city: 'Faro', days: 3 }],
    ['in a fenced block', `\`\`\`json\n${good}\n\`\`\``, { city: 'Faro', days: 3 }],
    ['in a block without a language', `\`\`\`\n${good}\n\`\`\`\n`, { city: 'Faro', days: 3 }],
    ['with space around it', `\n  ${good}\n`, { city: 'Faro', days: 3 }],
    ['with more than was asked for', '{"city":"Faro","days":3,"x":1}', { city: 'Faro', days: 3 }],
  ])('an answer that fits, %s', async (_how, answer, output) => {
    const { model, state } = await play(planner, [[call('plan')], answer, 'Done.']);
    expect(state.toolCalls[0]!.output).toEqual(output);
    expect(state.agents[0]).toMatchObject({ status: 'done', output });
    expect(sent(model)[2]!.messages.at(-1)).toBe(`plan answers ${JSON.stringify(output)}`);
  });

  test('an answer that does not fit goes back with what is wrong', async () => {
    const { model, state } = await play(planner, [
      [call('plan')],
      '{"city":"Faro","days":"three"}',
      good,
      'Done.',
    ]);
    expect(sent(model)[2]!.messages).toEqual([
      'user: Plan.',
      'assistant: {"city":"Faro","days":"three"}',
      'user: Your answer does not fit what is asked for: days: Invalid input: expected number, received string\nAnswer again with the whole JSON and nothing else.',
    ]);
    expect(state.toolCalls[0]!.output).toEqual({ city: 'Faro', days: 3 });
    expect(state.agents[0]!.steps[1]!.steered).toMatchObject([{ cause: 'output' }]);
  });

  test('after three tries it is an error of that call', async () => {
    const { model, state } = await play(planner, [[call('plan')], 'Faro', '{"city":1}', '', 'It failed.']);
    expect(state).toMatchObject({ status: 'done', text: 'It failed.' });
    expect(
      sent(model)
        .slice(2, 4)
        .map(({ messages }) => messages.at(-1)),
    ).toEqual([
      expect.stringContaining('it is not JSON') as string,
      expect.stringContaining(
        'city: Invalid input: expected string, received number; days: Invalid input',
      ) as string,
    ]);
    expect(sent(model)[4]!.messages.at(-1)).toBe(
      'plan fails: The agent plan gave no answer: The answer did not fit its schema after 3 tries: it is empty',
    );
    expect(state.agents[0]).toMatchObject({ status: 'error', error: { code: 'parse_failed' } });
  });

  test('the agent’s tools come first, and its last text is the answer', async () => {
    const { state } = await play(
      go((prompt) =>
        prompt.defAgent(
          'plan',
          '',
          none,
          (_args, own) => {
            own.defTool('look', '', none, () => 'Faro');
            own.$`Plan.`;
          },
          { responseSchema: schema },
        ),
      ),
      [[call('plan')], ['I look.', call('look')], good, 'Done.'],
    );
    expect(state.toolCalls[0]!.output).toEqual({ city: 'Faro', days: 3 });
  });

  test('a schema that changes what it reads: the parent gets what it made of it', async () => {
    const { state } = await play(
      go((prompt) =>
        prompt.defAgent('plan', '', none, (_args, own) => own.$`Plan.`, {
          responseSchema: z.object({ city: z.string().transform((city) => city.toUpperCase()) }),
        }),
      ),
      [[call('plan')], '{"city":"Faro"}', 'Done.'],
    );
    expect(state.toolCalls[0]!.output).toEqual({ city: 'FARO' });
  });

  test('plain JSON Schema', async () => {
    const { state } = await play(
      go((prompt) =>
        prompt.defAgent('plan', '', none, (_args, own) => own.$`Plan.`, {
          responseSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        }),
      ),
      [[call('plan')], '{"city":"Faro"}', 'Done.'],
    );
    expect(state.toolCalls[0]!.output).toEqual({ city: 'Faro' });
  });
});

test('usage is that of the run and of all its agents', async () => {
  const usage = (inputTokens: number, outputTokens: number) => ({
    finish: { usage: { inputTokens, outputTokens } },
  });
  const { state } = await play(
    threeLevels(() => 'ok'),
    [
      [call('outer'), usage(1, 10)],
      [call('inner'), usage(2, 20)],
      [call('work'), usage(4, 40)],
      ['Deep.', usage(8, 80)],
      ['Middle.', usage(16, 160)],
      ['Top.', usage(32, 320)],
    ],
  );
  expect(state.usage).toEqual({ inputTokens: 63, outputTokens: 630, totalTokens: 693 });
  expect(state.agents.map((agent) => agent.usage)).toEqual([
    { inputTokens: 30, outputTokens: 300, totalTokens: 330 },
    { inputTokens: 12, outputTokens: 120, totalTokens: 132 },
  ]);
});

test('an agent inherits model and limits, and not its parent’s settings, hooks, tools or variables', async () => {
  const { model } = await play(
    (prompt) => {
      prompt.def('TOPIC', 'tides');
      prompt.defSystem('role', 'Parent.');
      prompt.defTool('look', '', none, () => 'seen');
      prompt.defHook(() => ({ topP: 0.3 }));
      prompt.defAgent('child', '', none, (_args, own) => own.$`Go.`, { maxOutputTokens: 5, seed: 3 });
      prompt.$`Go.`;
    },
    [[call('child')], 'Yes.', 'Done.'],
    { options: { temperature: 0.9, system: 'Parent’s own.', maxOutputTokens: 900 } },
  );
  const { temperature, topP, maxOutputTokens, seed } = model.calls[1]!;
  expect({ temperature, topP, maxOutputTokens, seed }).toEqual({
    temperature: undefined,
    topP: undefined,
    maxOutputTokens: 5,
    seed: 3,
  });
  expect(sent(model)[1]).toEqual({ messages: ['user: Go.'], tools: [] });
});

test('an agent’s callbacks and prepareStep are its own', async () => {
  const called: string[] = [];
  const { model } = await play(
    go((prompt) =>
      prompt.defAgent('child', '', none, (_args, own) => own.$`Go.`, {
        onStepFinish: ({ text }) => void called.push(`child ${text}`),
        prepareStep: () => ({ temperature: 0.2 }),
      }),
    ),
    [[call('child')], 'Yes.', 'Done.'],
    { options: { onStepFinish: ({ text }) => void called.push(`run ${text}`) } },
  );
  expect(called).toEqual(['child Yes.', 'run ', 'run Done.']);
  expect(model.calls.map(({ temperature }) => temperature)).toEqual([undefined, 0.2, undefined]);
});

test('the time limit of an agent’s call ends the agent, not the run', async () => {
  const { state } = await play(
    go((prompt) =>
      prompt.defAgent(
        'slow',
        '',
        none,
        (_args, own) => {
          own.defTool('wait', '', none, () => new Promise(() => {}));
          own.$`Wait.`;
        },
        { timeoutMs: 30 },
      ),
    ),
    [[call('slow')], [call('wait')], 'Too slow.'],
  );
  expect(state).toMatchObject({ status: 'done', text: 'Too slow.' });
  expect(state.toolCalls[0]!.errorText).toBe('slow took longer than 30 ms, so it was ended.');
  expect(state.agents[0]!.status).toBe('stopped');
});

test('a key that an agent’s server echoes is in nobody’s messages', async () => {
  const key = 'plain-words-that-look-like-no-key';
  const { model, state, events } = await play(
    go((prompt) => prompt.defAgent('child', '', none, (_args, own) => own.$`Go.`)),
    [[call('child')], [{ throw: { message: `The key ${key} is wrong.`, status: 401 } }], 'No.'],
    { env: { ANY_API_KEY: key } },
  );
  expect(state.agents[0]).toMatchObject({ status: 'error', error: { code: 'auth' } });
  expect(JSON.stringify(events)).not.toContain(key);
  expect(JSON.stringify(model.calls.map(({ prompt }) => prompt))).not.toContain(key);
});

test('events of agents stand in the log under their path, between the start and the end of their call', async () => {
  const { run } = await play(
    threeLevels(() => 'ok'),
    [...down, 'Deep.', 'Middle.', 'Top.'],
  );
  const events = run.log();
  const place = (type: RunEvent['type'], agent: string | undefined) =>
    events.findIndex((event) => event.type === type && event.agent === agent);
  const outer = 'call-0-0';
  const inner = 'call-0-0/call-1-0';
  const places = [
    place('tool-start', undefined),
    place('agent-start', outer),
    place('tool-start', outer),
    place('agent-start', inner),
    place('tool-start', inner),
    place('tool-end', inner),
    place('agent-end', inner),
    place('tool-end', outer),
    place('agent-end', outer),
    place('tool-end', undefined),
  ];
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect(reduceAll(json(events))).toEqual(run.getState());
});
