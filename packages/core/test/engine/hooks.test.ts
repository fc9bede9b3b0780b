import { CuelineError, runPrompt, type Hook, type HookStep, type Prompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent-requests.ts';
import { call, go, play, throwing } from '../support.ts';
import { hooked, look } from '../support/hooked-runs.ts';

describe('hooks compose', () => {
  test('data that a hook changes in place is sent', async () => {
    const count: Hook = ({ variables }) => {
      const { STATE } = variables;
      if (STATE?.type === 'data') (STATE.value as { count: number }).count += 1;
      return { variables };
    };
    const { model } = await hooked([count], [[look(1)], 'Done.'], {}, (prompt) => {
      prompt.defData('STATE', { count: 0 });
    });
    expect(sent(model).map(({ system }) => /count: \d/.exec(system ?? '')?.[0])).toEqual([
      'count: 1',
      'count: 2',
    ]);
  });

  test('each hook sees the changes of the hooks before it', async () => {
    const seen: Partial<HookStep>[] = [];
    const note: Hook = ({ messages, activeTools, system, variables }) => {
      seen.push({ messages, activeTools, system, variables });
    };
    const { model } = await hooked(
      [
        note,
        () => ({
          activeTools: ['look'],
          system: 'First.',
          messages: [{ role: 'user', content: 'Other.' }],
          variables: { A: { type: 'string', value: 'a' } },
        }),
        note,
        ({ system }) => ({ system: `${system as string} Second.` }),
        note,
      ],
      ['Done.'],
    );
    expect(seen).toEqual([
      {
        messages: [{ role: 'user', content: 'Go.' }],
        activeTools: ['look', 'touch'],
        system: 'role:\nHelper.',
        variables: {},
      },
      {
        messages: [{ role: 'user', content: 'Other.' }],
        activeTools: ['look'],
        system: 'First.',
        variables: { A: { type: 'string', value: 'a' } },
      },
      {
        messages: [{ role: 'user', content: 'Other.' }],
        activeTools: ['look'],
        system: 'First. Second.',
        variables: { A: { type: 'string', value: 'a' } },
      },
    ]);
    expect(sent(model)).toEqual([{ system: 'First. Second.', messages: ['user: Other.'], tools: ['look'] }]);
  });

  test('the system prompt that a hook sees has the variables of the hooks before it', async () => {
    const seen: unknown[] = [];
    await hooked(
      [
        () => ({ variables: { A: { type: 'data', value: { deep: [1] } } } }),
        ({ system }) => void seen.push(system),
      ],
      ['Done.'],
    );
    expect(seen).toEqual([
      'Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.\n\n<A>\ndeep:\n  - 1\n</A>\n\nrole:\nHelper.',
    ]);
  });
});

test('the log says which hook has changed what before which step, also those of a task', async () => {
  const { events } = await hooked(
    [
      () => undefined,
      ({ stepNumber }) => (stepNumber === 0 ? { temperature: 0, activeTools: ['look', 'finishTask'] } : {}),
    ],
    [[look(1)], [call('finishTask', { result: 'Looked.' })], 'Done.'],
    {},
    (prompt) => {
      const extend = (own: Prompt): void => own.defHook(({ messages }) => ({ messages }));
      prompt.defTaskList([{ task: 'Look', extend }]);
    },
  );
  expect(events.filter(({ type }) => type === 'hook')).toMatchObject([
    { step: 0, index: 1, changed: ['activeTools', 'temperature'] },
    { step: 0, index: 2, taskId: 'task-1', changed: ['messages'] },
    { step: 1, index: 2, taskId: 'task-1', changed: ['messages'] },
  ]);
  const types = events.map(({ type }) => type);
  expect(types.indexOf('hook')).toBeLessThan(types.indexOf('step-start'));
});

describe('how long the changes of a hook last', () => {
  test('variables stay; system, messages, tools and settings last for one step', async () => {
    const { model } = await hooked(
      [
        ({ stepNumber }) =>
          stepNumber === 0
            ? {
                system: 'Once.',
                messages: [{ role: 'user', content: 'Once.' }],
                activeTools: ['look'],
                toolChoice: 'required',
                temperature: 0.5,
                variables: { A: { type: 'string', value: 'a' } },
              }
            : {},
      ],
      [[look(1)], 'Done.'],
    );
    expect(sent(model)).toEqual([
      { system: 'Once.', messages: ['user: Once.'], tools: ['look'] },
      {
        system:
          'Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.\n\n<A>a</A>\n\nrole:\nHelper.',
        messages: ['user: Go.', 'assistant calls look {"n":1}', 'look answers seen 1'],
        tools: ['look', 'touch'],
      },
    ]);
    expect(model.calls.map(({ temperature, toolChoice }) => [temperature, toolChoice?.type])).toEqual([
      [0.5, 'required'],
      [undefined, 'auto'],
    ]);
  });

  test('a model lasts for one step and may be a name', async () => {
    const other = scriptedModel(['From the other.'], { modelId: 'other' });
    const { model, run } = await hooked(
      [({ stepNumber }) => (stepNumber === 1 ? { model: 'mine:other' } : {})],
      [[look(1)]],
      { providers: { mine: () => other } },
    );
    expect(model.calls).toHaveLength(1);
    expect(run.getState()).toMatchObject({ status: 'done', text: 'From the other.' });
    expect(run.getState().steps.map(({ request }) => request.model)).toEqual([
      'simulated:scripted',
      'simulated:other',
    ]);
  });
});

describe('a hook that names something undefined', () => {
  test('ends the run for a model, with an error that names it', async () => {
    const { run } = await hooked([() => ({ model: 'nobody:x' })], [], { env: {} });
    expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'unknown_model' } });
  });

  test('can turn off all tools with an empty list', async () => {
    const { model, run } = await hooked([() => ({ activeTools: [] })], ['Done.']);
    expect(sent(model)[0]!.tools).toEqual([]);
    expect(run.getState().status).toBe('done');
  });
});

describe('a failing hook ends the run with an error that names it', () => {
  test.each<[string, Hook, string, string]>([
    ['throws', throwing(new TypeError('x is not a function')), 'script_error', 'x is not a function'],
    ['rejects', () => Promise.reject(new Error('no luck')), 'script_error', 'no luck'],
    [
      'throws a CuelineError',
      throwing(new CuelineError('too_large', 'Far too large.')),
      'too_large',
      'Far too large.',
    ],
    [
      'returns a variable without a value',
      () => ({ variables: { A: { type: 'string' } as never } }),
      'script_error',
      'the variable A without a value',
    ],
    [
      'returns a variable with an invalid name',
      () => ({ variables: { 'a b': { type: 'string', value: 'x' } } }),
      'invalid_definition',
      '"a b" cannot be a variable',
    ],
  ])('%s', async (_what, hook, code, message) => {
    const { run, result, model } = await hooked([hook], ['Never.']);
    expect(run.getState()).toMatchObject({ status: 'error', error: { code } });
    expect(run.getState().error?.message).toContain(message);
    await expect(Promise.resolve(result.text)).rejects.toMatchObject({ code });
    expect(model.calls).toHaveLength(0);
  });

  test('defHook refuses anything but a function', async () => {
    const started = runPrompt((prompt) => prompt.defHook({} as never), { model: scriptedModel([]) });
    await expect(started).rejects.toMatchObject({ code: 'invalid_definition' });
  });
});

describe('hooks with the caller’s own prepareStep', () => {
  test('run before it, and it sees their changes', async () => {
    const seen: unknown[] = [];
    const { model } = await hooked(
      [
        ({ stepNumber }) => ({
          system: `Hook ${stepNumber}.`,
          messages: [{ role: 'user', content: 'Hooked.' }],
        }),
      ],
      [[look(1)], 'Done.'],
      {
        options: {
          prepareStep: ({ stepNumber, instructions, messages }) => {
            seen.push([stepNumber, instructions, messages.map(({ content }) => content)]);
            return stepNumber === 1 ? { system: 'Own.', activeTools: ['touch'] } : undefined;
          },
        },
      },
    );
    expect(seen).toEqual([
      [0, 'Hook 0.', ['Hooked.']],
      [1, 'Hook 1.', ['Hooked.']],
    ]);
    expect(sent(model)).toEqual([
      { system: 'Hook 0.', messages: ['user: Hooked.'], tools: ['look', 'touch'] },
      { system: 'Own.', messages: ['user: Hooked.'], tools: ['touch'] },
    ]);
  });

  test('messages that prepareStep returns replace the conversation, as in the AI SDK', async () => {
    const { model } = await hooked([], [[look(1)], [look(2)], 'Done.'], {
      options: {
        prepareStep: ({ stepNumber, messages }) =>
          stepNumber === 1 ? { messages: [{ role: 'user', content: 'Short.' }, ...messages.slice(-2)] } : {},
      },
    });
    expect(sent(model).map(({ messages }) => messages)).toEqual([
      ['user: Go.'],
      ['user: Short.', 'assistant calls look {"n":1}', 'look answers seen 1'],
      [
        'user: Short.',
        'assistant calls look {"n":1}',
        'look answers seen 1',
        'assistant calls look {"n":2}',
        'look answers seen 2',
      ],
    ]);
  });
});

test('hooks of an agent are called before its own steps only', async () => {
  const asked: string[] = [];
  await play(
    go((prompt) => {
      prompt.defHook(({ stepNumber }) => void asked.push(`run ${stepNumber}`));
      prompt.defAgent('child', '', z.object({}), (_args, own) => {
        own.defHook(({ stepNumber }) => void asked.push(`child ${stepNumber}`));
        own.defTool('look', '', z.object({}), () => 'seen');
        own.$`Go.`;
      });
    }),
    [[call('child')], [call('look')], 'Yes.', 'Done.'],
  );
  expect(asked).toEqual(['run 0', 'child 0', 'child 1', 'run 1']);
});
