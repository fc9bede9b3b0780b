import { createReducer, createRun, definePrompt, reduceAll, type Run, type RunEvent } from '@cueline/core';
import { decodeLog, encodeLog } from '@cueline/core/link';
import { toUIMessageStream } from '@cueline/core/ai-sdk';
import { replay } from '@cueline/core/replay';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { readUIMessageStream, type UIMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { json } from '../support.ts';
import { codeOf, nextEvent } from '../support/runs.ts';

type AnyRun = Pick<Run<never>, 'log' | 'getState'>;

/** A step that calls the tool `look`, and perhaps says something before. */
const look = (what: string, says = ''): ScriptedTurn => [
  ...(says === '' ? [] : [says]),
  { toolCall: { name: 'look', input: { what }, id: `look-${what}` } },
];
const failure: ScriptedTurn = [{ throw: 'The line is dead.' }];
const endless: ScriptedTurn = [{ text: 'Well' }, { delay: 60_000 }];

function open(turns: readonly ScriptedTurn[]) {
  const looked: string[] = [];
  const research = definePrompt('research', (prompt) => {
    prompt.defSystem('role', 'You look things up.');
    prompt.defTool('look', 'Looks at something', z.object({ what: z.string() }), ({ what }) => {
      looked.push(what);
      return { what, found: true };
    });
    prompt.$`Look around.`;
  });
  const model = scriptedModel(turns);
  const run = createRun(research, { model });
  return { run, model, looked };
}

/** A prompt as the model got it, without what is undefined. */
const sent = (model: ReturnType<typeof scriptedModel>, call: number): unknown =>
  json(model.calls[call]?.prompt);

const isStep = (step: number) => (event: RunEvent) => event.type === 'step-start' && event.step === step;

async function uiMessages(log: readonly RunEvent[]): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  const stream = toUIMessageStream(log);
  for await (const message of readUIMessageStream({ stream, onError: () => {} })) last = message;
  return last;
}

/** What holds for every log, whatever was tried again in it. */
async function expectWhole({ log: read, getState }: AnyRun): Promise<void> {
  const log = read();
  const state = getState();
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index));
  expect(log.map(({ t }) => t)).toEqual(log.map(({ t }) => t).toSorted((one, other) => one - other));
  expect(log.filter(({ type }) => type === 'run-start')).toHaveLength(1);
  expect(log.filter(({ type }) => type === 'run-end')).toHaveLength(1);
  const steps = log.flatMap((event) =>
    event.type === 'step-start' && event.agent === undefined ? [event.step] : [],
  );
  expect(steps).toEqual(steps.map((_, index) => index));
  expect(state.steps.map(({ step }) => step)).toEqual(steps);
  expect(reduceAll(log)).toStrictEqual(state);
  expect(decodeLog(encodeLog(log))).toStrictEqual(json(log));
  expect(reduceAll(decodeLog(encodeLog(log)))).toEqual(state);
  for (let cut = 0; cut <= log.length; cut++) {
    const reducer = createReducer(reduceAll(log.slice(0, cut)));
    for (const event of log.slice(cut)) reducer.apply(event);
    expect(reducer.snapshot()).toStrictEqual(state);
  }
  const answer = state.messages.at(-1);
  if (answer?.role === 'assistant') expect(json(await uiMessages(log))).toEqual(json(answer));
}

describe('a run that failed is tried again', () => {
  test('after its last whole step: what was called is not called again', async () => {
    const { run, model, looked } = open([
      look('left', 'First left.'),
      look('right'),
      failure,
      'Nothing there.',
    ]);
    const first = run.start();
    expect(await codeOf(first)).toBe('provider_error');
    const before = run.log().slice();
    expect(await run.retry()).toBe('Nothing there.');
    expect(looked).toEqual(['left', 'right']);
    expect(model.calls).toHaveLength(4);
    // to the letter what the step that failed was sent
    expect(sent(model, 3)).toEqual(sent(model, 2));
    expect(JSON.stringify(sent(model, 3))).toContain('"found":true');
    const resumed = run.log().findIndex(({ type }) => type === 'run-resume');
    expect(run.log().slice(0, resumed)).toEqual(before.slice(0, resumed));
    expect(run.log()[resumed - 1]).toMatchObject({ type: 'step-end', step: 1 });
    expect(run.log()[resumed]).toMatchObject({ model: 'simulated:scripted', simulated: true });
    const state = run.getState();
    expect(state).toMatchObject({ status: 'done', result: 'Nothing there.', text: 'Nothing there.' });
    expect(state.runId).toBe((run.log()[resumed] as { runId: string }).runId);
    expect(state.runId).not.toBe((before[0] as { runId: string }).runId);
    expect(state.messages).toHaveLength(2);
    expect(state.toolCalls.map(({ step, state }) => [step, state])).toEqual([
      [0, 'output-available'],
      [1, 'output-available'],
    ]);
    await expectWhole(run);
  });

  test('shows at once that it continues, with what it has', async () => {
    const { run } = open([look('left'), failure, 'Nothing.']);
    await codeOf(run.start());
    expect(run.getState()).toMatchObject({ status: 'error' });
    const again = run.retry();
    const { status, messages, steps } = run.getState();
    expect([status, messages.length, steps.length]).toEqual(['running', 2, 1]);
    await nextEvent(run, 'run-resume');
    expect(run.getState()).toMatchObject({ status: 'running', phase: 'requesting' });
    await again;
  });

  test('with text and reasoning of the steps before, and a tool that failed', async () => {
    const calls: string[] = [];
    const prompt = definePrompt('tools', (prompt) => {
      prompt.defTool('broken', 'Fails', z.object({}), () => {
        calls.push('broken');
        throw new Error('No power.');
      });
      prompt.defTool('text', 'Text', z.object({}), () => 'plain text');
      prompt.defTool('nothing', 'Nothing', z.object({}), () => undefined);
      prompt.defTool('list', 'A list', z.object({}), () => [1, 2]);
      prompt.defTool('picture', 'Parts', z.object({}), () => [
        { type: 'text', text: 'a dot' },
        { type: 'image', image: 'iVBORw0KGgo=', mediaType: 'image/png' },
      ]);
      prompt.$`Try all.`;
    });
    const call = (name: string, input: unknown = {}) => ({ toolCall: { name, input, id: `call-${name}` } });
    const model = scriptedModel([
      ['Let me try.', call('broken'), call('text'), call('nothing'), call('list'), call('picture')],
      [call('text', '{"a":'), call('missing')],
      failure,
      'Done.',
    ]);
    const run = createRun(prompt, { model });
    await codeOf(run.start());
    expect(await run.retry()).toBe('Done.');
    expect(calls).toEqual(['broken']);
    expect(sent(model, 3)).toEqual(sent(model, 2));
    await expectWhole(run);
  });

  test('from the start where no step is whole', async () => {
    const { run, model } = open([failure, 'Hello.']);
    await codeOf(run.start());
    expect(await run.retry()).toBe('Hello.');
    expect(run.log().some(({ type }) => type === 'run-resume')).toBe(false);
    expect(sent(model, 1)).toEqual(sent(model, 0));
    await expectWhole(run);
  });

  test('again and again, with finished steps in between', async () => {
    const { run, model, looked } = open([
      look('left'),
      failure,
      look('right'),
      failure,
      failure,
      look('up'),
      'Nothing.',
    ]);
    await codeOf(run.start());
    expect(await codeOf(run.retry())).toBe('provider_error');
    await expectWhole(run);
    expect(await codeOf(run.retry())).toBe('provider_error');
    await expectWhole(run);
    expect(await run.retry()).toBe('Nothing.');
    expect(looked).toEqual(['left', 'right', 'up']);
    expect(model.calls).toHaveLength(7);
    expect(run.log().filter(({ type }) => type === 'run-resume')).toHaveLength(2);
    expect(run.getState().usage.totalTokens).toBeGreaterThan(0);
    await expectWhole(run);
  });

  test('with another model', async () => {
    const { run, model } = open([look('left'), failure]);
    await codeOf(run.start());
    const other = scriptedModel(['From me.'], { provider: 'other', modelId: 'large' });
    run.configure({ model: other });
    expect(await run.retry()).toBe('From me.');
    expect(json(other.calls[0]?.prompt)).toEqual(sent(model, 1));
    expect(run.getState()).toMatchObject({ model: 'other:large', simulated: false });
    expect(run.getState().steps.map(({ request }) => request.model)).toEqual([
      'simulated:scripted',
      'other:large',
    ]);
    await expectWhole(run);
  });

  test('that cannot even begin: what it had stays, and the next one continues', async () => {
    const { run, model, looked } = open([look('left'), failure, 'Nothing.']);
    await codeOf(run.start());
    run.configure({ model: 'nobody:x' });
    expect(await codeOf(run.retry())).toBe('unknown_model');
    expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'unknown_model' } });
    expect(run.getState().toolCalls).toHaveLength(1);
    await expectWhole(run);
    run.configure({ model });
    expect(await run.retry()).toBe('Nothing.');
    expect(looked).toEqual(['left']);
    await expectWhole(run);
  });
});

describe('a run that was stopped is tried again', () => {
  test('after its last whole step', async () => {
    const { run, model, looked } = open([look('left'), endless, 'Nothing.']);
    const first = run.start();
    await nextEvent(run, (event) => event.type === 'text-delta' && event.text === 'Well');
    run.stop();
    expect(await codeOf(first)).toBe('aborted');
    expect(run.getState().text).toBe('Well');
    expect(await run.retry()).toBe('Nothing.');
    expect(looked).toEqual(['left']);
    expect(sent(model, 2)).toEqual(sent(model, 1));
    expect(JSON.stringify(run.getState().messages)).not.toContain('Well');
    await expectWhole(run);
  });

  test('a call that had not ended ends with an error, and the model may make it again', async () => {
    const model = scriptedModel([look('left'), look('right'), look('right'), 'Nothing.']);
    const looked: string[] = [];
    const run = createRun(
      definePrompt('hanging', (prompt) => {
        prompt.defTool('look', 'Looks', z.object({ what: z.string() }), async ({ what }) => {
          looked.push(what);
          if (looked.length === 2) await new Promise(() => {});
          return what;
        });
        prompt.$`Look around.`;
      }),
      { model },
    );
    const first = run.start();
    await nextEvent(run, (event) => event.type === 'tool-start' && event.toolCallId === 'look-right');
    run.stop();
    expect(await codeOf(first)).toBe('aborted');
    expect(run.getState().toolCalls[1]?.state).toBe('interrupted');
    expect(await run.retry()).toBe('Nothing.');
    expect(looked).toEqual(['left', 'right', 'right']);
    expect(run.getState().toolCalls.map(({ state }) => state)).toEqual([
      'output-available',
      'output-error',
      'output-available',
    ]);
    expect(run.getState().toolCalls[1]?.errorText).toContain('It may have taken effect');
    expect(JSON.stringify(sent(model, 2))).toContain('It may have taken effect');
    await expectWhole(run);
  });

  test('while it is under way: that is stopped first', async () => {
    const { run, looked } = open([look('left'), endless, 'Nothing.']);
    const heard: RunEvent[] = [];
    run.listen((event) => heard.push(event));
    const first = run.start();
    await nextEvent(run, ({ type }) => type === 'text-delta');
    const again = run.retry();
    expect(await codeOf(first)).toBe('aborted');
    expect(await again).toBe('Nothing.');
    expect(looked).toEqual(['left']);
    expect(heard.filter(({ type }) => type === 'run-end')).toMatchObject([
      { outcome: 'stopped' },
      { outcome: 'done' },
    ]);
    await expectWhole(run);
  });

  test('stopped again before any output', async () => {
    const { run } = open([look('left'), failure, 'Nothing.']);
    await codeOf(run.start());
    const again = run.retry();
    run.stop();
    expect(await codeOf(again)).toBe('aborted');
    expect(run.getState()).toMatchObject({ status: 'stopped', toolCalls: [{ state: 'output-available' }] });
    await expectWhole(run);
    expect(await run.retry()).toBe('Nothing.');
    await expectWhole(run);
  });
});

describe('from a step', () => {
  const turns = [look('left'), look('right'), 'Nothing.', look('up'), 'All dark.'];

  test('of a run that is done', async () => {
    const { run, model, looked } = open(turns);
    expect(await run.start()).toBe('Nothing.');
    expect(await run.retry({ from: 1 })).toBe('All dark.');
    expect(looked).toEqual(['left', 'right', 'up']);
    expect(sent(model, 3)).toEqual(sent(model, 1));
    expect(run.getState().toolCalls.map(({ toolCallId }) => toolCallId)).toEqual(['look-left', 'look-up']);
    await expectWhole(run);
  });

  test('the whole turn, which is the default of a run that is done', async () => {
    for (const from of [undefined, 0]) {
      const { run, model } = open(['Hello.', 'Hello again.']);
      await run.start();
      expect(await run.retry({ from })).toBe('Hello again.');
      expect(sent(model, 1)).toEqual(sent(model, 0));
      expect(run.getState().messages).toHaveLength(2);
      await expectWhole(run);
    }
  });

  test('from a step that it cannot continue from: the error names the steps that it can', async () => {
    const { run, model } = open(turns);
    await run.start();
    const state = run.getState();
    for (const from of [3, -1, 1.5, Number.NaN]) {
      await expect(run.retry({ from })).rejects.toMatchObject({
        code: 'invalid_options',
        message: `The run cannot continue from step ${from}. It can from 0, 1, 2: retry({ from: 2 }).`,
      });
    }
    expect(run.getState()).toBe(state);
    expect(model.calls).toHaveLength(3);
  });

  test('of a run that has not begun', async () => {
    const { run, model } = open(['Hello.']);
    await expect(run.retry()).rejects.toMatchObject({
      code: 'invalid_options',
      message: 'Nothing has run that could be tried again. Call start(input).',
    });
    expect(model.calls).toHaveLength(0);
  });
});

describe('a conversation', () => {
  const roles = (model: ReturnType<typeof scriptedModel>, call: number): string[] =>
    model.calls[call]!.prompt.map(({ role }) => role);

  test('its last turn is tried again, and the turns before stay', async () => {
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

  test('the whole last turn', async () => {
    const { run, model } = open(['One.', 'Two.', 'Two again.']);
    await run.start();
    await run.send('Next.');
    expect(await run.retry()).toBe('Two again.');
    expect(sent(model, 2)).toEqual(sent(model, 1));
    expect(run.getState().messages).toHaveLength(4);
    await expectWhole(run);
  });

  test('a turn that could not even begin', async () => {
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

  test('a turn that was stopped before it began', async () => {
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
  const finish = (result: string): ScriptedTurn => [{ toolCall: { name: 'finishTask', input: { result } } }];
  const list = definePrompt('list', (prompt) => {
    prompt.defTaskList([{ task: 'Add 5 and 3' }, { task: 'Double it' }]);
    prompt.$`Go.`;
  });
  const shown = (run: AnyRun): unknown[] =>
    run.getState().tasks.map(({ id, title, status, result }) => [id, title, status, result]);

  test('keep their state, their times, and what the user did in the step that is lost', async () => {
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

  test('a failed task is to be done again, and the state shows it', async () => {
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

  test('of a turn that is tried again as a whole: as the user has left them, not as the model has', async () => {
    const model = scriptedModel([
      [{ text: 'Hm', delay: 20 }, { toolCall: { name: 'finishTask', input: { result: '8' } } }],
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

  test('of another prompt replace those before', async () => {
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

describe('what the prompt defines', () => {
  test('is defined again: variables of before are gone', async () => {
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

describe('agents', () => {
  test('that were done stay, and are not asked again', async () => {
    const asked: string[] = [];
    const model = scriptedModel([
      [{ toolCall: { name: 'helper', input: { topic: 'bees' }, id: 'h1' } }],
      'Bees hum.',
      failure,
      [{ toolCall: { name: 'helper', input: { topic: 'wasps' }, id: 'h2' } }],
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

test('a replay is played again from its start', async () => {
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
