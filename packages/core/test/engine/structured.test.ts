import {
  createRun,
  definePrompt,
  dryRun,
  reduceAll,
  runPrompt,
  type Prompt,
  type PromptOptions,
  type RunEvent,
} from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { Output } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, json } from '../support.ts';
import { atOnce, codeOf, nextEvent } from '../support/runs.ts';

const trip = z.object({
  city: z.string(),
  days: z.number().int().positive(),
  tags: z.array(z.string()).default([]),
});
const plan = definePrompt('plan', (prompt) => prompt.$`Plan a trip.`, { output: trip });

/** The same prompt with what `define` defines. */
const planning = (define: (prompt: Prompt) => unknown) =>
  definePrompt(
    'planning',
    (prompt) => {
      define(prompt);
      prompt.$`Plan a trip.`;
    },
    { output: trip },
  );

const good = '{"city":"Faro","days":3}';
const bad = '{"city":"Faro","days":"three"}';

function open(turns: readonly ScriptedTurn[], chunkSize?: number) {
  const model = scriptedModel(turns, chunkSize === undefined ? {} : { chunkSize });
  const run = createRun(plan, { model, schedule: atOnce });
  const objects: unknown[] = [];
  run.listen(({ type }) => {
    if (type === 'text-delta') objects.push(run.getState().object);
  });
  return { run, model, objects };
}

/** The last text that the model read before it answered the call. */
const told = (model: ReturnType<typeof scriptedModel>, call: number): unknown =>
  json(model.calls[call]?.prompt.at(-1));

describe('a prompt with an output schema', () => {
  test('returns the partial object while it arrives, and the validated one at the end', async () => {
    const { run, objects } = open([good], 6);
    const result = await run.start();
    expect(result).toEqual({ city: 'Faro', days: 3, tags: [] });
    expect(objects).toEqual([{}, { city: 'Far' }, { city: 'Faro' }, { city: 'Faro', days: 3 }]);
    expect(run.getState()).toMatchObject({ status: 'done', result, object: result, text: good });
    expect(run.getState().steps[0]?.request.messages).toHaveLength(1);
  });

  test('has the partial object of every event in at(seq)', async () => {
    const { run } = open([bad, good], 5);
    await run.start();
    for (const { seq } of run.log()) {
      expect(run.at(seq)).toStrictEqual(reduceAll(run.log().slice(0, seq + 1)));
    }
    const seen = new Set(run.log().map(({ seq }) => JSON.stringify(run.at(seq).object)));
    expect(seen.size).toBeGreaterThan(4);
  });

  test('asks the model for JSON that fits it', async () => {
    const { run, model } = open([good]);
    await run.start();
    expect(json(model.calls[0]?.responseFormat)).toMatchObject({
      type: 'json',
      schema: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer' } },
      },
    });
  });

  test('sends the model the faults of its answer, and accepts the next one', async () => {
    const { run, model } = open([bad, `\`\`\`json\n${good}\n\`\`\``]);
    expect(await run.start()).toEqual({ city: 'Faro', days: 3, tags: [] });
    expect(model.calls).toHaveLength(2);
    expect(JSON.stringify(told(model, 1))).toContain('Answer again with the whole JSON and nothing else.');
    expect(JSON.stringify(told(model, 1))).toContain('days');
    expect(run.log().filter((event) => event.type === 'steer')).toMatchObject([{ cause: 'output' }]);
  });

  test('fails after three invalid answers, and the state has the last one', async () => {
    const { run, model } = open([bad, 'Sorry.', bad]);
    await expect(run.start()).rejects.toMatchObject({ code: 'parse_failed', details: { attempts: 3 } });
    expect(model.calls).toHaveLength(3);
    expect(run.getState()).toMatchObject({
      status: 'error',
      error: { code: 'parse_failed' },
      object: { city: 'Faro', days: 'three' },
    });
    const end = run.log().at(-1) as Extract<RunEvent, { type: 'run-end' }>;
    expect(end).not.toHaveProperty('output');
  });

  test('names the token limit if that cut off its answers', async () => {
    const cut: ScriptedTurn = [{ text: '{"city":"Fa' }, { finish: { reason: 'length' } }];
    const { run, model } = open([cut, cut, cut]);
    await expect(run.start()).rejects.toMatchObject({
      code: 'parse_failed',
      message:
        'The answer did not fit its schema after 3 attempts. Raise maxOutputTokens, or ask for less at once. What did not fit: it was cut off at the token limit',
    });
    expect(JSON.stringify(told(model, 1))).toContain('it was cut off at the token limit');
  });

  test('can be retried after its run failed', async () => {
    const { run } = open([bad, bad, bad, good]);
    expect(await codeOf(run.start())).toBe('parse_failed');
    expect(await run.retry()).toEqual({ city: 'Faro', days: 3, tags: [] });
    expect(reduceAll(run.log())).toStrictEqual(run.getState());
  });

  test('keeps the partial object if its run is stopped', async () => {
    const { run } = open([[{ text: '{"city":"Faro","da' }, { delay: 60_000 }]]);
    const result = run.start();
    await nextEvent(run, 'text-delta');
    run.stop();
    expect(await codeOf(result)).toBe('aborted');
    expect(run.getState()).toMatchObject({ status: 'stopped', object: { city: 'Faro' } });
  });

  test('answers in JSON in each turn of a conversation', async () => {
    const { run } = open([good, '{"city":"Beja","days":1,"tags":["hot"]}']);
    await run.start();
    expect(await run.send('Somewhere else.')).toEqual({ city: 'Beja', days: 1, tags: ['hot'] });
    expect(run.getState().messages).toHaveLength(4);
  });

  test('accepts any schema, also JSON Schema and values that are not objects', async () => {
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
    const count = definePrompt('count', (prompt) => prompt.$`Count.`, { output: schema });
    expect(await createRun(count, { model: scriptedModel(['{"n":4}']) }).start()).toEqual({ n: 4 });
    const list = definePrompt('list', (prompt) => prompt.$`List.`, { output: z.array(z.number()) });
    expect(await createRun(list, { model: scriptedModel(['[1, 2]']) }).start()).toEqual([1, 2]);
    const nothing = definePrompt('nothing', (prompt) => prompt.$`Perhaps.`, { output: z.null() });
    const run = createRun(nothing, { model: scriptedModel(['null']) });
    expect(await run.start()).toBeNull();
    expect(run.getState()).toMatchObject({ result: null, object: null });
  });

  test('may have tools, and answers after their calls', async () => {
    const looked: string[] = [];
    const look = planning((prompt) =>
      prompt.defTool('look', 'Looks', z.object({ what: z.string() }), ({ what }) => looked.push(what)),
    );
    const model = scriptedModel([
      ['{"city":"Fa', call('look', { what: 'map' })],
      [call('look', { what: 'sky' })],
      bad,
      [call('look', { what: 'clock' })],
      good,
    ]);
    const run = createRun(look, { model });
    expect(await run.start()).toEqual({ city: 'Faro', days: 3, tags: [] });
    expect(looked).toEqual(['map', 'sky', 'clock']);
    expect(run.getState().toolCalls).toHaveLength(3);
  });

  test('may have tools and a task list, and answers after the tasks', async () => {
    const finish = (result: string): ScriptedTurn => [call('finishTask', { result })];
    const listed = planning((prompt) => {
      prompt.defTool('look', 'Looks', z.object({}), () => 'seen');
      prompt.defTaskList([{ task: 'Pick a city' }, { task: 'Count the days' }]);
    });
    const model = scriptedModel([
      [call('look', {})],
      good, // too early: the tasks are open
      finish('Faro'),
      finish('3'),
      bad,
      good,
    ]);
    const run = createRun(listed, { model });
    expect(await run.start()).toEqual({ city: 'Faro', days: 3, tags: [] });
    expect(run.log().flatMap((event) => (event.type === 'steer' ? [event.cause] : []))).toEqual([
      'tasks',
      'output',
    ]);
    expect(run.getState().tasks.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  test('is not asked for again while tasks are open, once the model was reminded often enough', async () => {
    const open = planning((prompt) => prompt.defTaskList([{ task: 'One' }], { maxNudges: 0 }));
    const model = scriptedModel(['No.', 'No.', 'No.']);
    expect(await codeOf(createRun(open, { model }).start())).toBe('tasks_incomplete');
    expect(model.calls).toHaveLength(1);
  });

  test.each<[string, ScriptedTurn[], PromptOptions, string]>([
    [
      'stopWhen',
      [[call('look')], good],
      { stopWhen: () => true },
      'stopWhen stopped the model before an answer fitted its schema. Write a condition that is met later.',
    ],
    [
      'stopWhen after an invalid answer',
      ['Sorry.', good],
      { stopWhen: () => true },
      'stopWhen stopped the model before an answer fitted its schema. Write a condition that is met later. What did not fit: it is not JSON',
    ],
    [
      'a call of a tool without execute',
      [[call('ask')], good],
      { tools: { ask: { inputSchema: z.object({}) } } },
      'A call of a tool without execute stopped the model before an answer fitted its schema. Give that tool an execute, or define it with prompt.defTool if the page has its function.',
    ],
  ])('names what ended its run without a valid answer: %s', async (_what, turns, options, message) => {
    const look = planning((prompt) => prompt.defTool('look', 'Looks', z.object({}), () => 'seen'));
    const model = scriptedModel(turns);
    await expect(createRun(look, { model, options }).start()).rejects.toMatchObject({
      code: 'parse_failed',
      message: expect.stringContaining(message) as string,
    });
    expect(model.calls).toHaveLength(1);
  });

  test('may have agents, whose answers stay text', async () => {
    const team = planning((prompt) =>
      prompt.defAgent('helper', 'Helps', z.object({}), (_args, own) => own.$`Help.`),
    );
    const model = scriptedModel([[call('helper', {}, 'h')], '{"not":"mine"}', good]);
    const run = createRun(team, { model });
    const objects: unknown[] = [];
    run.listen((event) => {
      if (event.agent === 'h' && event.type === 'text-delta') objects.push(run.getState().object);
    });
    expect(await run.start()).toEqual({ city: 'Faro', days: 3, tags: [] });
    expect(objects).toEqual([undefined]);
    expect(run.getState().agents[0]).toMatchObject({ status: 'done', result: '{"not":"mine"}' });
    expect(run.getState().agents[0]).not.toHaveProperty('object');
    expect(model.calls[1]).not.toHaveProperty('responseFormat.schema');
  });

  test('refuses a second schema', async () => {
    const run = createRun(plan, {
      model: scriptedModel([good]),
      options: { output: Output.object({ schema: trip }) },
    });
    await expect(run.start()).rejects.toMatchObject({
      code: 'invalid_options',
      message:
        'options.output and the output of prompt "plan" both describe the answer. Leave one of them out.',
    });
  });

  test('is refused if the schema is invalid, with the name of the prompt', () => {
    for (const output of ['trip', 7, null, true]) {
      expect(() => definePrompt('wrong', (prompt) => prompt.$`Go.`, { output: output as never })).toThrow(
        'The output of prompt "wrong" must be a schema: { output: z.object({ … }) }.',
      );
    }
  });

  test('is also checked by runPrompt and dryRun', async () => {
    const { result, run } = await runPrompt(plan, { model: scriptedModel([good]) });
    expect(await result.output).toEqual({ city: 'Faro', days: 3, tags: [] });
    expect((await run.finished).status).toBe('done');
    const { request } = await dryRun(plan);
    const { model: _model, ...sent } = json(run.getState().steps[0]!.request);
    expect(json(request)).toEqual({ ...sent, model: '' });
    expect(request.settings['responseFormat']).toMatchObject({
      type: 'json',
      schema: { properties: { city: { type: 'string' } } },
    });
  });
});
