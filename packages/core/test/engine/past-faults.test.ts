// Faults that programs like this one have had. None of them may come back, so each has a test by its name.
import { definePlugin, runPrompt, tool, type Hook, type Prompt, type PromptSource } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { isStepCount } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent.ts';
import { call, go, play } from '../support.ts';
import { after } from '../support/runs.ts';

/** Some of everything that a prompt can define. */
const everything = (prompt: Prompt): void => {
  prompt.def('TOPIC', 'tides');
  prompt.defData('FACTS', { moon: 1 });
  prompt.defSystem('role', 'Helper.');
  prompt.defTool('look', '', z.object({ n: z.number() }), ({ n }) => n);
  prompt.$`Go.`;
};
const everythingSaid = `Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

<TOPIC>tides</TOPIC>
<FACTS>
moon: 1
</FACTS>

role:
Helper.`;

test('definitions silently dropped when no hook is registered', async () => {
  const turns = [[call('look', { n: 1 })], 'Done.'];
  const without = await play(everything, turns);
  const idle = await play((prompt) => {
    everything(prompt);
    prompt.defHook(() => ({}));
  }, turns);
  expect(sent(without.model)).toEqual([
    { system: everythingSaid, messages: ['user: Go.'], tools: ['look'] },
    {
      system: everythingSaid,
      messages: ['user: Go.', 'assistant calls look {"n":1}', 'look answers 1'],
      tools: ['look'],
    },
  ]);
  expect(sent(idle.model)).toEqual(sent(without.model));
});

test('a hook’s system overwritten as soon as a variable exists', async () => {
  const { model } = await play(
    (prompt) => {
      everything(prompt);
      prompt.defHook(() => ({
        system: 'The hook’s own.',
        variables: { MOOD: { type: 'string', value: 'calm' } },
      }));
    },
    [[call('look', { n: 1 })], 'Done.'],
  );
  expect(sent(model).map(({ system }) => system)).toEqual(['The hook’s own.', 'The hook’s own.']);
});

describe('options ignored', () => {
  test('options.system, beside definitions, hooks and a task list', async () => {
    const sources: ((prompt: Prompt) => void)[] = [
      everything,
      (prompt) => {
        everything(prompt);
        prompt.defHook(({ messages }) => ({ messages }));
      },
      (prompt) => {
        everything(prompt);
        prompt.defDynamicTaskList();
      },
    ];
    for (const source of sources) {
      const { model } = await play(source, ['Done.'], { options: { system: 'Be brief.' } });
      expect(sent(model)[0]!.system).toBe(`${everythingSaid}\n\nBe brief.`);
    }
  });

  test('options.stopWhen', async () => {
    const turns = [1, 2, 3].map((n) => [call('look', { n })]);
    const { model, state } = await play(everything, [...turns, 'Done.'], {
      options: { stopWhen: isStepCount(2) },
    });
    expect(model.calls).toHaveLength(2);
    expect(state.status).toBe('done');
  });

  test('options.onFinish', async () => {
    const finished: string[] = [];
    await play(everything, ['Done.'], { options: { onFinish: ({ text }) => void finished.push(text) } });
    await vi.waitFor(() => expect(finished).toEqual(['Done.']));
  });

  test('options.prepareStep, also beside a hook and a task list', async () => {
    const seen: unknown[] = [];
    const { model } = await play(
      (prompt) => {
        everything(prompt);
        prompt.defHook(() => ({ activeTools: ['look'], temperature: 0.1 }));
        prompt.defDynamicTaskList();
      },
      ['Done.'],
      {
        options: {
          prepareStep: ({ stepNumber, instructions }) => {
            seen.push([stepNumber, instructions]);
            return { seed: 7 };
          },
        },
      },
    );
    expect(seen).toEqual([[0, everythingSaid]]);
    expect(model.calls[0]).toMatchObject({ seed: 7, temperature: 0.1 });
    expect(sent(model)[0]!.tools).toEqual(['look']);
  });
});

test('the task list blanking the whole system prompt', async () => {
  const { model, state } = await play(
    (prompt) => {
      everything(prompt);
      prompt.defTaskList([{ task: 'One' }, { task: 'Two' }]);
    },
    [[call('finishTask', { result: '1' })], [call('finishTask', { result: '2' })], 'Done.'],
  );
  expect(state.status).toBe('done');
  expect(sent(model).map(({ system }) => system)).toEqual(Array(3).fill(everythingSaid));
});

test.each([
  ['null', null, 'null'],
  ['undefined', undefined, 'null'],
  ['an empty text', '', ''],
  ['false', false, 'false'],
  ['zero', 0, '0'],
])('a tool that returns %s killing the run', async (_name, output, answer) => {
  const { model, result, state } = await play(
    (prompt) => {
      prompt.defTool('save', '', z.object({}), () => output);
      prompt.$`Save.`;
    },
    [[call('save')], 'Saved.'],
  );
  expect(sent(model)[1]!.messages).toEqual([
    'user: Save.',
    'assistant calls save {}',
    `save answers ${answer}`,
  ]);
  expect(state).toMatchObject({ status: 'done', text: 'Saved.' });
  expect(await result.text).toBe('Saved.');
});

test('an alias cycle overflowing the stack', async () => {
  const started = runPrompt((prompt) => prompt.$`Go.`, {
    model: 'large',
    env: { LM_MODEL_LARGE: 'fast', LM_MODEL_FAST: 'small', LM_MODEL_SMALL: 'large' },
  });
  await expect(started).rejects.toMatchObject({
    code: 'alias_cycle',
    details: { chain: ['large', 'fast', 'small', 'large'] },
  });
});

test('an agent’s plugins never reaching it', async () => {
  const glossary = definePlugin({
    name: 'glossary',
    setup(prompt) {
      prompt.defTool('define', '', z.object({}), () => 'a rise of the sea');
      return { defTerm: (term: string, meaning: string) => prompt.defSystem(term, meaning) };
    },
  });
  const { model } = await play(
    go((prompt) =>
      prompt.defAgent(
        'expert',
        '',
        z.object({}),
        (_args, own) => {
          own.defTerm('tide', 'The sea rises.');
          own.$`Explain tides.`;
        },
        { plugins: [glossary] },
      ),
    ),
    [[call('expert')], 'The moon.', 'Done.'],
  );
  const [parent, expert] = sent(model);
  expect(expert).toEqual({
    system: 'tide:\nThe sea rises.',
    messages: ['user: Explain tides.'],
    tools: ['define'],
  });
  expect(parent!.tools).toEqual(['expert']);
});

test('the abort signal not reaching agents', async () => {
  const controller = new AbortController();
  let reached: unknown;
  const { state } = await play(
    go((prompt) =>
      prompt.defAgent('worker', '', z.object({}), (_args, own) => {
        own.defTool('wait', '', z.object({}), (_none, { abortSignal }) => {
          abortSignal?.addEventListener('abort', () => (reached = abortSignal.reason as unknown));
          setTimeout(() => controller.abort('enough'));
          return new Promise(() => {});
        });
        own.$`Wait.`;
      }),
    ),
    [[call('worker')], [call('wait')], 'Never.', 'Never.'],
    { options: { abortSignal: controller.signal } },
  );

  expect(reached).toBe('enough');
  expect(state).toMatchObject({ status: 'stopped', agents: [{ status: 'stopped' }] });
});

test('a failed agent leaking its whole transcript to the parent', async () => {
  const { model } = await play(
    go((prompt) =>
      prompt.defAgent('worker', '', z.object({}), (_args, own) => {
        own.defSystem('secret', 'SYSTEM OF THE AGENT');
        own.defTool('look', '', z.object({}), () => 'RESULT OF ITS TOOL');
        own.$`PROMPT OF THE AGENT`;
      }),
    ),
    [
      [call('worker')],
      ['THOUGHT OF THE AGENT', call('look')],
      ['HALF AN ANSWER', { error: { message: 'overheated' } }],
      'It failed.',
    ],
  );
  expect(sent(model)[3]!.messages).toEqual([
    'user: Go.',
    'assistant calls worker {}',
    'worker fails: The agent worker gave no answer: The model reported an error: overheated.',
  ]);
});

test('any tool that returns { response, steps } being rewritten', async () => {
  const output = { response: 'ok', steps: [1, 2], text: 't', toolCalls: [], messages: ['m'] };
  const { model, state } = await play(
    go((prompt) => prompt.defTool('plan', '', z.object({}), () => output)),
    [[call('plan')], 'Done.'],
  );
  expect(state.toolCalls[0]!.output).toEqual(output);
  expect(sent(model)[1]!.messages.at(-1)).toBe(`plan answers ${JSON.stringify(output)}`);
});

test('async hooks’ variables lost', async () => {
  const { model, state } = await play(
    (prompt) => {
      everything(prompt);
      prompt.defHook(async ({ stepNumber, variables }) => {
        await after(2);
        return { variables: { ...variables, STEP: { type: 'string', value: `now ${stepNumber}` } } };
      });
      prompt.defHook(async ({ variables }) => {
        await Promise.resolve();
        return { variables: { ECHO: { type: 'data', value: { step: variables['STEP']!.value } } } };
      });
    },
    [[call('look', { n: 1 })], 'Done.'],
  );
  expect(sent(model).map(({ system }) => /<STEP>[^]*<\/ECHO>/.exec(system!)?.[0])).toEqual([
    '<STEP>now 0</STEP>\n<ECHO>\nstep: now 0\n</ECHO>',
    '<STEP>now 1</STEP>\n<ECHO>\nstep: now 1\n</ECHO>',
  ]);
  expect(state.variables['STEP']).toEqual({ kind: 'text', value: 'now 1' });
});

test.each<[string, Hook]>([
  ['returns undefined', () => undefined],
  ['returns nothing', () => {}],
  ['resolves to nothing', async () => {}],
  ['returns null', (() => null) as unknown as Hook],
  [
    'returns undefined for each setting',
    () => ({
      system: undefined,
      activeTools: undefined,
      messages: undefined,
      variables: undefined,
      model: undefined,
    }),
  ],
])('a hook that %s throwing', async (_name, hook) => {
  const { model, state } = await play(
    (prompt) => {
      everything(prompt);
      prompt.defHook(hook);
    },
    ['Done.'],
  );
  expect(state.status).toBe('done');
  expect(sent(model)).toEqual([{ system: everythingSaid, messages: ['user: Go.'], tools: ['look'] }]);
});

test('one bad composite call failing the batch', async () => {
  const made: string[] = [];
  const { state } = await play(
    go((prompt) =>
      prompt.defTool('file', 'Files', [
        tool('read', '', z.object({ path: z.string() }), ({ path }) => {
          made.push(path);
          if (path === 'locked') throw new Error('Permission denied');
          return path.toUpperCase();
        }),
      ]),
    ),
    [
      [
        call('file', {
          calls: [
            { name: 'read', args: { path: 'a' } },
            { name: 'erase', args: { path: 'a' } },
            { name: 'read', args: { path: 7 } },
            { name: 'read' },
            { name: 'read', args: { path: 'locked' } },
            { name: 'read', args: { path: 'b' } },
          ],
        }),
      ],
      'Done.',
    ],
  );
  expect(state.status).toBe('done');
  expect(state.toolCalls[0]!.output).toEqual({
    results: [
      { name: 'read', result: 'A' },
      { name: 'erase', result: { error: 'file has no tool "erase". There are: read.' } },
      {
        name: 'read',
        result: {
          error: 'Invalid arguments for read: path: Invalid input: expected string, received number',
        },
      },
      {
        name: 'read',
        result: {
          error: 'Invalid arguments for read: path: Invalid input: expected string, received undefined',
        },
      },
      { name: 'read', result: { error: 'Permission denied' } },
      { name: 'read', result: 'B' },
    ],
  });
  expect(made).toEqual(['a', 'locked', 'b']);
});

test('YAML anchors', async () => {
  const home = { city: 'Lisbon' };
  const { model } = await play(
    (prompt) => {
      prompt.$`Who lives with ${prompt.defData('PEOPLE', { ada: { home }, bob: { home }, all: [home, home] })}?`;
    },
    ['Ada and Bob.'],
  );
  expect(sent(model)[0]!.system).toContain(`<PEOPLE>
ada:
  home:
    city: Lisbon
bob:
  home:
    city: Lisbon
all:
  - city: Lisbon
  - city: Lisbon
</PEOPLE>`);
});

describe('process.env read at module scope', () => {
  test('no module of ours reads it when it is imported', async () => {
    const { env } = process;
    const readers: string[] = [];
    vi.resetModules();
    Object.defineProperty(process, 'env', {
      configurable: true,
      enumerable: true,
      get() {
        const caller = new Error('read').stack?.split('\n').find((line) => line.includes('/core/src/'));
        if (caller !== undefined) readers.push(caller);
        return env;
      },
    });
    try {
      const core = await import('@cueline/core');
      await import('@cueline/core/models');
      await import('@cueline/core/testing');
      expect(readers).toEqual([]);
      // so that nothing was read because nothing looked
      await core.runPrompt((prompt) => prompt.$`Go.`, { model: 'nobody:at-home' }).catch(() => {});
      expect(readers).not.toEqual([]);
    } finally {
      Object.defineProperty(process, 'env', {
        configurable: true,
        enumerable: true,
        writable: true,
        value: env,
      });
    }
  });

  test('a variable that is set later counts, and the caller’s own environment goes before it', async () => {
    vi.stubEnv('LM_MODEL_LATE', 'mine:from-process');
    const providers = { mine: (modelId: string) => scriptedModel(['Hi.'], { provider: 'mine', modelId }) };
    const late = await runPrompt((prompt) => prompt.$`Go.`, { model: 'late', providers });
    const own = await runPrompt((prompt) => prompt.$`Go.`, {
      model: 'late',
      providers,
      env: { LM_MODEL_LATE: 'mine:from-caller' },
    });
    vi.unstubAllEnvs();
    expect([late.run.getState().model, own.run.getState().model]).toEqual([
      'mine:from-process',
      'mine:from-caller',
    ]);
  });
});

test('hooks applied once instead of at every step', async () => {
  const steps: number[] = [];
  const { model } = await play(
    (prompt) => {
      everything(prompt);
      prompt.defHook(({ stepNumber }) => {
        steps.push(stepNumber);
        return { system: `Step ${stepNumber}.` };
      });
    },
    [[call('look', { n: 1 })], [call('look', { n: 2 })], [call('look', { n: 3 })], 'Done.'],
  );
  expect(steps).toEqual([0, 1, 2, 3]);
  expect(sent(model).map(({ system }) => system)).toEqual(['Step 0.', 'Step 1.', 'Step 2.', 'Step 3.']);
});

test('finishTask after the last task throwing', async () => {
  const list: PromptSource = (prompt) => {
    prompt.defTaskList([{ task: 'Only' }]);
    prompt.$`Go.`;
  };
  const { model, state } = await play(list, [
    [call('finishTask', { result: '1' }), call('finishTask', { result: '2' })],
    [call('finishTask', { result: '3' }), call('startTask')],
    'Done.',
  ]);
  expect(state).toMatchObject({ status: 'done', text: 'Done.' });
  expect(state.toolCalls.map(({ output }) => output)).toEqual([
    '✓ All tasks completed successfully! The task list is complete.',
    'The result of Task 1/1 is being validated. Wait for what comes of it.',
    'All tasks are completed. Give your final answer.',
    'All tasks are completed. Give your final answer.',
  ]);
  expect(state.tasks).toMatchObject([{ status: 'completed', result: '1' }]);
  expect(sent(model)).toHaveLength(3);
});
