import { runInNewContext } from 'node:vm';
import { createRun, definePrompt, inProcess, type Prompt, type RunEvent } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, go, throwing } from '../support.ts';
import { nested, thrown } from '../support/thrown.ts';

type PromptFunction = (prompt: Prompt) => void;

const long = 'x'.repeat(10_000_000);

/** A run in this process, its end, and what the model reads in its last request. */
async function play(source: PromptFunction, turns: readonly ScriptedTurn[], options: object = {}) {
  const model = scriptedModel(turns);
  const run = createRun(definePrompt('say', source), { model, executor: inProcess(), options });
  await run.start().catch(() => {});
  const events = run.log();
  const find = <Type extends RunEvent['type']>(type: Type): Extract<RunEvent, { type: Type }>[] =>
    events.filter((event) => event.type === type) as never;
  const read = JSON.stringify(model.calls.at(-1)?.prompt.at(-1) ?? null);
  return { events, find, read, state: run.getState(), calls: model.calls.length };
}

/** A prompt with a tool that runs `fn`. */
const looking = (
  fn: (args: Record<string, unknown>) => unknown,
  schema: z.ZodObject = z.object({}),
): PromptFunction => go((prompt) => prompt.defTool('look', '', schema, fn));

const callOf = (input: string | object): ScriptedTurn[] => [[call('look', input)], 'Done.'];

describe.for(thrown)('%s', ([_name, make, text]) => {
  test('from a tool is an error that the model reads', async () => {
    const { find, state, read } = await play(looking(throwing(make())), callOf({}));
    const [event] = find('tool-error');
    // errors keep their names, objects are JSON, and what is neither is named in a sentence
    const plain =
      /^(oops|\{"a":1\}|\{\}|Error: Frozen\.|RangeError: Foreign\.|RangeError|The tool failed without a reason\.)$/;
    if (!plain.test(event?.error ?? '')) expect(event?.error).toBe(`The tool threw ${text}.`);
    expect(read).toContain(JSON.stringify(event?.error).slice(1, -1));
    expect(state.status).toBe('done');
  });

  test('from a generator is an error after its outputs', async () => {
    const looks = async function* () {
      yield 'some';
      throw make();
    };
    const { find, state } = await play(looking(looks), callOf({}));
    expect(find('tool-preliminary').map(({ output }) => output)).toEqual(['some']);
    expect(find('tool-error')).toHaveLength(1);
    expect(state.status).toBe('done');
  });

  test.for([
    ['a hook', 'A hook, at step 0, threw', (prompt) => prompt.defHook(throwing(make())), {}],
    ['prepareStep', 'prepareStep, at step 0, threw', () => {}, { prepareStep: throwing(make()) }],
    ['a prompt function', 'The prompt function threw', throwing(make()), {}],
  ] satisfies [string, string, PromptFunction, object][])(
    'from %s ends the run with script_error',
    async ([_where, sentence, source, options]) => {
      const { state, find } = await play(
        (prompt) => {
          prompt.$`Go.`;
          source(prompt);
        },
        ['Done.'],
        options,
      );
      expect(state.error).toMatchObject({ code: 'script_error', message: `${sentence}: ${text}` });
      expect(find('run-end')).toHaveLength(1);
    },
  );
});

test('an error of another frame, which a tool throws, has its name and message for the model', async () => {
  const throws = () => runInNewContext(`throw new RangeError('Foreign.')`) as never;
  const { find } = await play(looking(throws), callOf({}));
  expect(find('tool-error')).toMatchObject([{ error: 'RangeError: Foreign.' }]);
});

describe('values that are too long', () => {
  test.for([
    ['an error', () => new Error(long)],
    ['a text', () => long],
  ] as const)('are cut to 256 KB: %s of 10 MB from a tool', async ([_name, make]) => {
    const { find, read } = await play(looking(throwing(make())), callOf({}));
    const [event] = find('tool-error');
    expect(event?.error).toHaveLength(256 * 1024);
    expect(event?.error).toMatch(/\[Cut off: the whole was 100000\d\d characters long\]$/);
    expect(read.length).toBeLessThan(257 * 1024);
  });

  test('from a hook are cut, too', async () => {
    const { state } = await play(
      go((prompt) => prompt.defHook(throwing(new Error(long)))),
      ['Done.'],
    );
    expect(state.error?.message).toMatch(
      /^A hook, at step 0, threw: x{10000}… \[cut off: 10000000 characters\]$/,
    );
  });
});

describe('data nested 20,000 deep', () => {
  const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;

  test.for([
    ['a tool that takes anything', z.object({ a: z.any() })],
    ['a tool that takes text', z.object({ a: z.string() })],
  ] as const)(
    'as arguments of %s is refused before the tool runs, and the run continues',
    async ([_name, schema]) => {
      let runs = 0;
      const { find, read, state, calls } = await play(
        looking(() => (runs += 1), schema),
        callOf(deep),
      );
      expect(runs).toBe(0);
      expect(find('tool-error')[0]?.error).toContain('nested more than 1000 levels deep');
      expect(read).toContain('nested more than 1000 levels deep');
      expect([state.status, calls]).toEqual(['done', 2]);
    },
  );

  test('as arguments of an unknown tool does not end the run', async () => {
    const { state } = await play((prompt) => prompt.$`Look.`, callOf(deep));
    expect(state.status).toBe('done');
  });

  test('as a result is an error that the model reads', async () => {
    const { find, state } = await play(
      looking(() => nested(20_000)),
      callOf({}),
    );
    expect(find('tool-error')[0]?.error).toContain('nested more than 1000 levels deep');
    expect(state.status).toBe('done');
  });

  test('does not include brackets in text, and may have 900 levels', async () => {
    const flat = { a: '[{"'.repeat(5_000) };
    const some = `{"a":${'['.repeat(900)}${']'.repeat(900)}}`;
    for (const input of [flat, some]) {
      const { find } = await play(
        looking(({ a }) => a, z.object({ a: z.any() })),
        callOf(input),
      );
      expect(find('tool-end')).toHaveLength(1);
    }
  });

  test('is sent back to the model only in part if it is not JSON', async () => {
    const { read, state } = await play(
      looking(() => 'seen'),
      callOf(`{"a":"${'y'.repeat(1_000_000)}`),
    );
    expect(read).toContain('The arguments, 1000006 characters, are not JSON');
    expect(read.length).toBeLessThan(2_000);
    expect(state.status).toBe('done');
  });
});
