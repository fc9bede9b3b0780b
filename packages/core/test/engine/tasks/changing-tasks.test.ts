import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { definePlugin, runPrompt, type Prompt, type RunHandle } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, go, play } from '../../support.ts';

const finish = (result: string): ScriptedTurn => [call('finishTask', { result })];

/** A run of two tasks, whose first has `extend`. */
const playTwo = (extend: (own: Prompt, prompt: Prompt) => void | Promise<void>) =>
  play(
    go((prompt) =>
      prompt.defTaskList([{ task: 'One', extend: (own) => extend(own, prompt) }, { task: 'Two' }]),
    ),
    [finish('1'), finish('2'), 'Done.'],
  );

function systemOf({ prompt }: LanguageModelV4CallOptions): string {
  return prompt.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n');
}

describe('definitions of a task last as long as the task', () => {
  test('in a prompt without its own system prompt', async () => {
    const { model } = await playTwo((own) => {
      own.defSystem('rules', 'of one');
      own.def('V', 'one');
    });
    expect(model.calls.map((call) => systemOf(call).includes('of one'))).toEqual([true, false, false]);
    expect(model.calls.map((call) => systemOf(call).includes('<V>'))).toEqual([true, false, false]);
  });

  test('and unnamed text of a task follows that of the prompt', async () => {
    const { model } = await play(
      go((prompt) => {
        prompt.defSystem('Never give legal advice.');
        prompt.defTaskList([{ task: 'One' }, { task: 'Two', extend: (own) => own.defSystem('Use grams.') }]);
      }),
      [finish('1'), finish('2'), 'Done.'],
    );
    const own = 'Never give legal advice.';
    expect(model.calls.map((call) => systemOf(call))).toEqual([own, `${own}\n\nUse grams.`, own]);
  });

  test.each<[string, (define: () => void) => void | Promise<void>]>([
    ['a plugin method', (define) => define()],
    ['an async plugin method', (define) => Promise.resolve().then(define)],
  ])('for definitions that %s makes', async (_how, make) => {
    const plugin = definePlugin({
      name: 'docs',
      setup: (prompt) => ({
        useDocs: (text: string) =>
          make(() => {
            prompt.def('DOCS', text);
            prompt.defSystem('docs', text);
            prompt.defTool('lookUp', text, z.object({}), () => text);
          }),
      }),
    });
    const model = scriptedModel([finish('1'), finish('2'), 'Done.']);
    const { run } = await runPrompt(
      async (prompt) => {
        await prompt.useDocs('of all');
        prompt.defTaskList([
          { task: 'One', extend: (own) => own.useDocs('of one') },
          { task: 'Two', extend: (own) => own.useDocs('of two') },
        ]);
        prompt.$`Go.`;
      },
      { model, options: { plugins: [plugin] } },
    );
    expect((await run.finished).status).toBe('done');
    const sent = model.calls.map((call) => [
      /<DOCS>(.*)<\/DOCS>/.exec(systemOf(call))?.[1],
      /docs:\n(.*)/.exec(systemOf(call))?.[1],
      (call.tools as { name: string; description: string }[]).find(({ name }) => name === 'lookUp')
        ?.description,
    ]);
    expect(sent).toEqual(['of one', 'of two', 'of all'].map((text) => [text, text, text]));
  });

  test('for a plugin method that is called in one task and ends in the next', async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const plugin = definePlugin({
      name: 'late',
      setup: (prompt) => ({
        now: (name: string) => prompt.def(name, 'now'),
        async later(name: string) {
          await released;
          prompt.def(name, 'late');
        },
      }),
    });
    const model = scriptedModel([[call('begin')], finish('1'), [call('end')], finish('2'), 'Done.']);
    let late: Promise<void> | undefined;
    const { run } = await runPrompt(
      (prompt) => {
        prompt.defTaskList([
          {
            task: 'One',
            extend: (own) => own.defTool('begin', '', z.object({}), () => void (late = own.later('OLD'))),
          },
          {
            task: 'Two',
            extend: (own) =>
              own.defTool('end', '', z.object({}), async () => {
                own.now('NEW');
                release();
                await late;
                prompt.def('ALL', 'here');
              }),
          },
        ]);
        prompt.$`Go.`;
      },
      { model, options: { plugins: [plugin] } },
    );
    expect((await run.finished).status).toBe('done');
    const names = model.calls.map((call) => systemOf(call).match(/(?<=^<)[A-Z]+/gm));
    expect(names).toEqual([null, null, null, ['ALL', 'NEW'], ['ALL']]);
  });

  test('and a plugin method that a tool of the task calls cannot add messages', async () => {
    const plugin = definePlugin({
      name: 'say',
      setup: (prompt) => ({
        async say(text: string) {
          await Promise.resolve();
          prompt.$`${text}`;
        },
      }),
    });
    const model = scriptedModel([[call('talk')], finish('1'), 'Done.']);
    const { run } = await runPrompt(
      (prompt) => {
        prompt.defTaskList([
          {
            task: 'One',
            extend: async (own) => {
              await own.say('Mind the gap.');
              own.defTool('talk', '', z.object({}), () => own.say('Well?'));
            },
          },
        ]);
        prompt.$`Go.`;
      },
      { model, options: { plugins: [plugin] } },
    );
    const { status, toolCalls } = await run.finished;
    expect(status).toBe('done');
    expect(toolCalls[0]?.errorText).toContain('The run has started, so its first messages are fixed.');
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('Mind the gap.');
  });

  test('and other definitions made meanwhile stay in the run', async () => {
    const { model, state } = await playTwo(async (own, prompt) => {
      own.def('OWN', 'one');
      await Promise.resolve();
      prompt.def('ALL', 'all');
    });
    expect(model.calls.map((call) => systemOf(call).includes('<ALL>all</ALL>'))).toEqual([true, true, true]);
    expect(state.variables['ALL']).toEqual({ kind: 'text', value: 'all' });
  });
});

describe('variables of a task', () => {
  test('are sent while it is current, and a hook changes them in place', async () => {
    const { model, events, state } = await play(
      go((prompt) => {
        prompt.def('MODE', 'base');
        prompt.defTaskList([
          {
            task: 'One',
            extend: (own) => {
              own.def('MODE', 'old');
              own.def('ONLY', 'here');
            },
          },
          { task: 'Two' },
        ]);
        prompt.defHook(({ variables }) => ({
          variables: {
            ...variables,
            ...('ONLY' in variables ? { MODE: { type: 'string', value: 'new' } } : {}),
          },
        }));
      }),
      [finish('1'), finish('2'), 'Done.'],
    );
    expect(model.calls.map((call) => /<MODE>(.*)<\/MODE>/.exec(systemOf(call))?.[1])).toEqual([
      'new',
      'base',
      'base',
    ]);
    expect(state.variables).toEqual({ MODE: { kind: 'text', value: 'base' } });
    expect(
      events.flatMap((event) =>
        event.type === 'variable-set'
          ? [`${event.name}=${event.value}`]
          : event.type === 'variable-unset'
            ? [`${event.name} unset`]
            : [],
      ),
    ).toEqual(['MODE=base', 'MODE=new', 'ONLY=here', 'ONLY unset', 'MODE=base']);
  });
});

test('a validation that never ends does not block the list: the task can be skipped', async () => {
  const model = scriptedModel([finish('x'), 'Then not.']);
  const { run } = await runPrompt(
    go((prompt) => prompt.defTaskList([{ task: 'One', validation: () => new Promise<void>(() => {}) }])),
    { model },
  );
  run.listen((event) => {
    if (event.type === 'task-update' && event.status === 'validating') {
      queueMicrotask(() => void run.edit({ type: 'skip', taskId: 'task-1' }));
    }
  });
  const state = await run.finished;
  expect(state).toMatchObject({ status: 'done', text: 'Then not.' });
  expect(state.tasks[0]?.status).toBe('skipped');
});

describe('a list that changes while the model works on it', () => {
  /** Runs two tasks, and calls `onFirst` once the model has been sent the first. */
  async function twoTasks(turns: readonly ScriptedTurn[], onFirst: (run: RunHandle) => void) {
    const results: [string, string][] = [];
    const model = scriptedModel(turns);
    const { run } = await runPrompt(
      go((prompt) => {
        const note = (task: string) => (result: string) => void results.push([task, result]);
        prompt.defTaskList([
          { task: 'Write a poem', validation: note('poem') },
          { task: 'Delete the database', validation: note('delete') },
        ]);
      }),
      { model },
    );
    run.listen((event) => {
      if (event.type === 'step-start' && event.step === 0) onFirst(run);
    });
    return { state: await run.finished, results, model };
  }

  test('no result is assigned to a task that the model has not seen', async () => {
    let skipped: unknown;
    const { state, results } = await twoTasks([finish('the poem'), finish('deleted'), 'Done.'], (run) => {
      skipped = run.edit({ type: 'skip', taskId: 'task-1' });
    });
    expect(await skipped).toEqual({ accepted: true });
    expect(results).toEqual([['delete', 'deleted']]);
    expect(state.toolCalls[0]?.output).toBe(
      'This result was not used, because “Write a poem” was skipped.\n\nNext task: Delete the database',
    );
    expect(state.tasks.map(({ status, result }) => [status, result])).toEqual([
      ['skipped', undefined],
      ['completed', 'deleted'],
    ]);
  });

  test('two results in one answer finish one task', async () => {
    const both: ScriptedTurn = [call('finishTask', { result: 'a' }), call('finishTask', { result: 'b' })];
    const { state, results } = await twoTasks([both, finish('c'), 'Done.'], () => {});
    expect(results).toEqual([
      ['poem', 'a'],
      ['delete', 'c'],
    ]);
    expect(state.status).toBe('done');
  });

  test('after an edit while extend runs, the step is about the task that is then current', async () => {
    const model = scriptedModel([finish('2'), 'Done.']);
    let edit: RunHandle['edit'] | undefined;
    const { run } = await runPrompt(
      go((prompt) =>
        prompt.defTaskList([
          {
            task: 'One',
            extend: async (own) => {
              own.defTool('first', 'Of one', z.object({}), () => 1);
              await Promise.resolve();
              void edit?.({ type: 'skip', taskId: 'task-1' });
            },
          },
          { task: 'Two', extend: (own) => own.defTool('second', 'Of two', z.object({}), () => 2) },
        ]),
      ),
      { model },
    );
    edit = (given) => run.edit(given);
    await run.finished;
    expect(model.calls[0]?.tools?.map(({ name }) => name)).toEqual(['startTask', 'finishTask', 'second']);
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('[Task 2/2] Two');
    expect(run.getState().tasks.map(({ status }) => status)).toEqual(['skipped', 'completed']);
  });
});

test('options.activeTools keeps the task tools, and warns of unknown names', async () => {
  const { model, state } = await play(
    go((prompt) => {
      prompt.defTool('search', 'Searches', z.object({}), () => 1);
      prompt.defTool('other', 'Not now', z.object({}), () => 1);
      prompt.defTaskList([
        { task: 'One', extend: (own) => own.defTool('own', 'Of one', z.object({}), () => 1) },
      ]);
    }),
    [finish('1'), 'Done.'],
    { options: { activeTools: ['search', 'serach'] } },
  );
  expect(model.calls.map((call) => call.tools?.map(({ name }) => name))).toEqual([
    ['search', 'startTask', 'finishTask', 'own'],
    ['search', 'startTask', 'finishTask'],
  ]);
  expect(state.warnings).toEqual([
    'options.activeTools names serach, which is not defined. There are: search, other, startTask, finishTask, own.',
  ]);
});

test('the system prompt of a hook or of prepareStep lasts for one step', async () => {
  const again: ScriptedTurn = [call('t', {})];
  const { model } = await play(
    go((prompt) => {
      prompt.defTool('t', '', z.object({}), () => 1, { repeatable: true });
      prompt.defHook(({ stepNumber }) => (stepNumber === 1 ? {} : { system: `hook ${stepNumber}` }));
    }),
    [again, again, again, 'Done.'],
    { options: { prepareStep: ({ stepNumber }) => (stepNumber === 1 ? { system: 'own 1' } : {}) } },
  );
  expect(model.calls.map(systemOf)).toEqual(['hook 0', 'own 1', 'hook 2', 'hook 3']);
});
