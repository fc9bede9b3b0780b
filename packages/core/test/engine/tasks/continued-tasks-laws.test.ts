import { createRun, definePrompt, type Prompt, type PromptDefinition, type RunEvent } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, json } from '../../support.ts';
import { ran } from '../../support/runs.ts';
import { sampled } from '../../support/sample.ts';

const look = (subject: string) => call('look', { subject });
const finish = (result: string) => call('finishTask', { result });

const prompt = definePrompt('tasks', (prompt) => {
  prompt.defTool('look', '', z.object({ subject: z.string() }), ({ subject }) => `Notes on ${subject}`, {
    effect: 'read',
  });
  prompt.defTaskList([{ task: 'One' }, { task: 'Two' }]);
  prompt.$`Work.`;
});

type Model = ReturnType<typeof scriptedModel>;

/** What a request says from the message about the list on, as JSON. */
function windowOf({ prompt: messages }: Model['calls'][number]): string[] {
  const texts = messages.map((message) => JSON.stringify(message));
  return texts.slice(texts.findLastIndex((text) => text.includes('[Task ')));
}

/** A run of both tasks, each with two readings in steps of their own: its log, and what each of its requests says. */
async function runWhole() {
  const { run, model } = await ran(prompt, [
    [look('a')],
    [look('b')],
    [finish('1')],
    [look('c')],
    [look('d')],
    [finish('2')],
    'Done.',
  ]);
  return { log: json(run.log()) as RunEvent[], windows: model.calls.map(windowOf) };
}

/** Continues a run to its end, and returns what its first request says. */
async function continueRun(log: readonly RunEvent[]): Promise<string[]> {
  const model = scriptedModel([[finish('1')], [finish('2')], 'Done.', 'Done.']);
  const run = createRun(prompt, { model, log });
  await run.retry();
  expect(run.getState()).toMatchObject({ status: 'done' });
  return windowOf(model.calls[0]!);
}

describe('a task list of a run that was cut off', () => {
  test('is sent before the work on its current task, wherever the run was cut off', async () => {
    const { log, windows } = await runWhole();
    const lengths = new Set<number>();
    const first = log.findIndex(({ type }) => type === 'step-start');
    for (const { seq: cut } of sampled(log.slice(first + 1, -1))) {
      const window = await continueRun(log.slice(0, cut));
      // after the last task, nothing is worked on
      if (!window[0]!.includes('[Task ')) continue;
      expect(windows, `cut after ${cut}`).toContainEqual(window);
      lengths.add(window.length);
    }
    expect([...lengths]).toEqual([1, 3, 5]);
  });

  test.each<[string, ScriptedTurn[]]>([
    ['with another call', [[call('startTask'), look('a')]]],
    ['twice', [[look('a')], [call('startTask'), call('startTask'), look('b')]]],
  ])('is sent before the work of a step that starts the task %s', async (_how, turns) => {
    const { run, model } = await ran(prompt, [...turns, [finish('1')], [finish('2')], 'Done.']);
    const log = json(run.log()) as RunEvent[];
    const cut = log.findLastIndex((event) => event.type === 'step-end' && event.step === turns.length - 1);
    expect(await continueRun(log.slice(0, cut + 1))).toEqual(windowOf(model.calls[turns.length]!));
  });

  test('is sent after the work on a task that the user has skipped since', async () => {
    const { log } = await runWhole();
    const begun = log.findIndex((event) => event.type === 'tool-start') + 1;
    const skip: RunEvent = {
      type: 'task-update',
      taskId: 'task-1',
      by: 'user',
      status: 'skipped',
      seq: begun,
      t: log[begun]!.t,
    };
    const window = await continueRun([...log.slice(0, begun), skip]);
    expect(window).toHaveLength(1);
    expect(window[0]).toContain('[Task 2/2] Two');
  });
});

describe('a call of a tool of the task that was cut off', () => {
  /** Plays `turns`. Then cuts the log before an event, and continues with the turns from `next` on. */
  async function cutAndRetry(
    definition: PromptDefinition,
    turns: readonly ScriptedTurn[],
    next: number,
    isCut: (event: RunEvent) => boolean,
  ) {
    const whole = createRun(definition, { model: scriptedModel(turns) });
    await whole.start();
    const log = json(whole.log()) as RunEvent[];
    const run = createRun(definition, {
      model: scriptedModel(turns.slice(next)),
      log: log.slice(0, log.findIndex(isCut)),
    });
    await run.retry();
    return run.getState();
  }

  const looked = call('look', { subject: 'a' }, 'look');

  test.each<[string, (prompt: Prompt) => void, readonly ScriptedTurn[]]>([
    ['is made again', () => {}, [[looked], [finish('1')], 'Done.']],
    ['is made again beside startTask', () => {}, [[call('startTask'), looked], [finish('1')], 'Done.']],
    [
      'does not go to a tool of the prompt with the same name',
      (prompt) =>
        prompt.defTool('look', '', z.object({ subject: z.string() }), () => 'base', { effect: 'read' }),
      [[looked], [finish('1')], 'Done.'],
    ],
  ])('%s', async (_what, define, turns) => {
    const scoped = definePrompt('scoped', (prompt) => {
      define(prompt);
      prompt.defTaskList([
        {
          task: 'One',
          extend: (own) =>
            own.defTool(
              'look',
              '',
              z.object({ subject: z.string() }),
              ({ subject }) => `Notes on ${subject}`,
              {
                effect: 'read',
              },
            ),
        },
      ]);
      prompt.$`Work.`;
    });
    const state = await cutAndRetry(
      scoped,
      turns,
      1,
      (event) => event.type === 'tool-end' && event.toolCallId === 'look',
    );
    expect(state.status).toBe('done');
    expect(state.toolCalls.find(({ toolName }) => toolName === 'look')).toMatchObject({
      state: 'output-available',
      output: 'Notes on a',
    });
  });

  test('continues its agent', async () => {
    const dug: string[] = [];
    const scoped = definePrompt('scoped', (prompt) => {
      prompt.defTaskList([
        {
          task: 'One',
          extend: (own) =>
            own.defAgent('helper', '', z.object({}), (_args, agent) => {
              agent.defTool('dig', '', z.object({}), () => dug.push('dug'));
              agent.$`Dig.`;
            }),
        },
      ]);
      prompt.$`Work.`;
    });
    const state = await cutAndRetry(
      scoped,
      [[call('helper')], [call('dig')], 'Dug.', [finish('1')], 'Done.'],
      2,
      (event) => event.type === 'step-start' && event.agent !== undefined && event.step === 1,
    );
    expect(state).toMatchObject({ status: 'done', agents: [{ status: 'done', text: 'Dug.' }] });
    expect(dug).toEqual(['dug']);
  });
});
