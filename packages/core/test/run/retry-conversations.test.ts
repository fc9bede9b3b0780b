import { createRun, definePrompt, type RunEvent } from '@cueline/core';
import { replay } from '@cueline/core/replay';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call } from '../support.ts';
import { type AnyRun, look, failure, open, sent, expectWhole } from '../support/retried-runs.ts';
import { after, codeOf, nextEvent } from '../support/runs.ts';

const isStep = (step: number) => (event: RunEvent) => event.type === 'step-start' && event.step === step;

describe('a conversation', () => {
  const roles = (model: ReturnType<typeof scriptedModel>, call: number): string[] =>
    model.calls[call]!.prompt.map(({ role }) => role);

  test('is retried from its last turn, and earlier turns stay', async () => {
    const { run, model, looked } = open([
      look('left'),
      'Nothing left.',
      look('right'),
      failure,
      'Nothing right.',
      'Goodbye.',
    ]);
    await run.start();
    expect(await codeOf(run.send('And right?'))).toBe('provider_error');
    expect(await run.retry()).toBe('Nothing right.');
    expect(looked).toEqual(['left', 'right']);
    expect(sent(model, 4)).toEqual(sent(model, 3));
    expect(roles(model, 4)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
      'tool',
    ]);
    await expectWhole(run);
    expect(run.getState().messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(await run.send('Thanks.')).toBe('Goodbye.');
    expect(run.getState().messages).toHaveLength(6);
    expect(roles(model, 5).slice(-2)).toEqual(['assistant', 'user']);
  });

  test('can be retried from the start of its last turn', async () => {
    const { run, model } = open(['One.', 'Two.', 'Two again.']);
    await run.start();
    await run.send('Next.');
    expect(await run.retry()).toBe('Two again.');
    expect(sent(model, 2)).toEqual(sent(model, 1));
    expect(run.getState().messages).toHaveLength(4);
    await expectWhole(run);
  });

  test('can be retried if its last turn could not begin', async () => {
    const { run, model } = open(['One.', 'Two.']);
    await run.start();
    run.configure({ model: 'nobody:x' });
    expect(await codeOf(run.send('Next.'))).toBe('unknown_model');
    run.configure({ model });
    expect(await run.retry()).toBe('Two.');
    expect(roles(model, 1)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(run.getState().messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  test('can be retried if its last turn was stopped before it began', async () => {
    const { run, model } = open(['One.', 'Two.']);
    await run.start();
    const sent = run.send('Next.');
    run.stop();
    expect(await codeOf(sent)).toBe('aborted');
    expect(await run.retry()).toBe('Two.');
    expect(roles(model, 1)).toEqual(['system', 'user', 'assistant', 'user']);
  });
});

describe('tasks', () => {
  const finish = (result: string): ScriptedTurn => [call('finishTask', { result })];
  const list = definePrompt('list', (prompt) => {
    prompt.defTaskList([{ task: 'Add 5 and 3' }, { task: 'Double it' }]);
    prompt.$`Go.`;
  });
  const shown = (run: AnyRun): unknown[] =>
    run.getState().tasks.map(({ id, title, status, result }) => [id, title, status, result]);

  test("keep their status, their times and the user's edits of the lost step", async () => {
    const model = scriptedModel([
      finish('8'),
      [{ text: 'Hm', delay: 20 }, { delay: 60_000 }],
      finish('16'),
      finish('seen'),
      'Sixteen.',
    ]);
    const run = createRun(list, { model });
    const first = run.start();
    await nextEvent(run, ({ type }) => type === 'text-delta');
    expect(await run.edit({ type: 'add', title: 'Look at it' })).toEqual({ accepted: true });
    expect(await run.edit({ type: 'rename', taskId: 'task-2', title: 'Double that' })).toEqual({
      accepted: true,
    });
    run.stop();
    expect(await codeOf(first)).toBe('aborted');
    const [before] = run.getState().tasks;
    expect(await run.retry()).toBe('Sixteen.');
    expect(shown(run)).toEqual([
      ['task-1', 'Add 5 and 3', 'completed', '8'],
      ['task-2', 'Double that', 'completed', '16'],
      ['task-3', 'Look at it', 'completed', 'seen'],
    ]);
    const [after] = run.getState().tasks;
    expect(after?.finishedAt).toBe(before?.finishedAt);
    expect(after?.startedAt).toBe(before?.startedAt);
    expect(JSON.stringify(model.calls[2]?.prompt)).toContain('Double that');
    await expectWhole(run);
  });

  test('keep an edit that the user made before the feedback to the model', async () => {
    const model = scriptedModel(['Enough.', failure, finish('8'), finish('16'), 'Sixteen.']);
    const slow = definePrompt('slow', (prompt) => {
      prompt.defTaskList([{ task: 'Add 5 and 3' }, { task: 'Double it' }]);
      prompt.defHook(() => after(5));
      prompt.$`Go.`;
    });
    const run = createRun(slow, { model });
    run.listen((event) => {
      if (event.type !== 'step-end' || event.step !== 0) return;
      void run.edit({ type: 'rename', taskId: 'task-2', title: 'Double that' });
    });
    expect(await codeOf(run.start())).toBe('provider_error');
    expect(await run.retry()).toBe('Sixteen.');
    const types = run.log().map(({ type }) => type);
    const resumed = types.indexOf('run-resume');
    expect(types.slice(resumed - 3, resumed)).toEqual(['step-end', 'task-update', 'steer']);
    expect(shown(run)[1]).toEqual(['task-2', 'Double that', 'completed', '16']);
    await expectWhole(run);
  });

  test('are pending again if they failed', async () => {
    const model = scriptedModel([finish('7'), 'Eight.', finish('8'), finish('16'), 'Sixteen.']);
    const strict = definePrompt('strict', (prompt) => {
      prompt.defTaskList(
        [{ task: 'Add 5 and 3', validation: (result) => (result === '7' ? 'Count again.' : undefined) }],
        { maxAttempts: 1 },
      );
      prompt.$`Go.`;
    });
    const run = createRun(strict, { model });
    expect(await codeOf(run.start())).toBe('tasks_incomplete');
    expect(run.getState().tasks).toMatchObject([{ status: 'failed', attempts: 1 }]);
    const again = run.retry();
    await nextEvent(run, 'step-start');
    expect(run.getState().tasks).toMatchObject([{ status: 'pending', attempts: 0 }]);
    run.stop();
    await codeOf(again);
    await expectWhole(run);
  });

  test("keep the user's edits, and not the model's, if a whole turn is retried", async () => {
    const model = scriptedModel([
      [{ text: 'Hm', delay: 20 }, call('finishTask', { result: '8' })],
      finish('16'),
      'Sixteen.',
      finish('9'),
      'Nine.',
    ]);
    const run = createRun(list, { model });
    const first = run.start();
    await nextEvent(run, isStep(0));
    await run.edit({ type: 'skip', taskId: 'task-2' });
    await nextEvent(run, isStep(1));
    run.stop();
    expect(await codeOf(first)).toBe('aborted');
    expect(shown(run)[0]).toEqual(['task-1', 'Add 5 and 3', 'completed', '8']);
    const again = run.retry({ from: 0 });
    await nextEvent(run, 'step-start');
    expect(shown(run)).toEqual([
      ['task-1', 'Add 5 and 3', 'pending', undefined],
      ['task-2', 'Double it', 'skipped', undefined],
    ]);
    run.stop();
    await codeOf(again);
  });

  test('are replaced by those of another prompt', async () => {
    const model = scriptedModel([finish('8'), failure, finish('x'), 'Done.']);
    const run = createRun(list, { model });
    await codeOf(run.start());
    run.configure({
      definition: definePrompt('list', (prompt) => {
        prompt.defTaskList([{ task: 'Something else' }]);
        prompt.$`Go.`;
      }),
    });
    expect(await run.retry()).toBe('Done.');
    expect(shown(run)).toEqual([['task-1', 'Something else', 'completed', 'x']]);
    await expectWhole(run);
  });
});

describe('definitions of the prompt', () => {
  test('are made again, without earlier variables', async () => {
    const model = scriptedModel([look('left'), failure, 'Done.']);
    const prompt = (name: string) =>
      definePrompt('variables', (prompt) => {
        prompt.defTool('look', 'Looks', z.object({ what: z.string() }), () => 1);
        prompt.$`Look at ${prompt.def(name, 'x')}.`;
      });
    const run = createRun(prompt('OLD'), { model });
    await codeOf(run.start());
    run.configure({ definition: prompt('NEW') });
    await run.retry();
    expect(run.getState().variables).toEqual({ NEW: { kind: 'text', value: 'x' } });
    await expectWhole(run);
  });
});

describe('hooks', () => {
  test('get the number that their step has in the log, and so do their events', async () => {
    const model = scriptedModel([look('left'), failure, look('right'), 'Done.']);
    const numbers: number[] = [];
    const hooked = definePrompt('hooked', (prompt) => {
      prompt.defTool('look', 'Looks', z.object({ what: z.string() }), () => 1);
      prompt.defHook(({ stepNumber }) => {
        numbers.push(stepNumber);
        return { temperature: 0 };
      });
      prompt.$`Look.`;
    });
    const run = createRun(hooked, { model });
    expect(await codeOf(run.start())).toBe('provider_error');
    expect(await run.retry()).toBe('Done.');
    expect(numbers).toEqual([0, 1, 1, 2]);
    const steps = run
      .log()
      .flatMap((event) =>
        event.type === 'hook' || event.type === 'step-start' ? [[event.type, event.step]] : [],
      );
    expect(steps).toEqual(
      [0, 1, 2].flatMap((step) => [
        ['hook', step],
        ['step-start', step],
      ]),
    );
    await expectWhole(run);
  });
});

describe('agents', () => {
  test('that have ended stay, and do not run again', async () => {
    const asked: string[] = [];
    const model = scriptedModel([
      [call('helper', { topic: 'bees' }, 'h1')],
      'Bees hum.',
      failure,
      [call('helper', { topic: 'wasps' }, 'h2')],
      'Wasps sting.',
      'Both fly.',
    ]);
    const run = createRun(
      definePrompt('team', (prompt) => {
        prompt.defAgent('helper', 'Helps', z.object({ topic: z.string() }), ({ topic }, own) => {
          asked.push(topic);
          own.$`About ${topic}.`;
        });
        prompt.$`Ask.`;
      }),
      { model },
    );
    await codeOf(run.start());
    expect(await run.retry()).toBe('Both fly.');
    expect(asked).toEqual(['bees', 'wasps']);
    expect(run.getState().agents.map(({ path, status, text }) => [path, status, text])).toEqual([
      ['h1', 'done', 'Bees hum.'],
      ['h2', 'done', 'Wasps sting.'],
    ]);
    expect(run.getState().steps.map(({ step }) => step)).toEqual([0, 1, 2]);
    await expectWhole(run);
  });
});

test('a retry plays a replay again from its start', async () => {
  const { run } = open([look('left'), failure]);
  await codeOf(run.start());
  const log = run.log().slice();
  const again = createRun(
    definePrompt('shown', () => {}),
    { executor: replay(log, { speed: Infinity }) },
  );
  expect(await codeOf(again.start())).toBe('provider_error');
  const retried = again.retry();
  expect(again.getState()).toMatchObject({ replaying: true, toolCalls: [] });
  expect(await codeOf(retried)).toBe('provider_error');
  expect(again.log()).toEqual(log);
});
