import { defineAgent, tags, type CallErrorDetails, type OutputConfig } from '@cueline/core/agents';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { jsonSchema, tool as sdkTool } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { throwing } from '../../support.ts';
import { faultOf, lines, look, looks, talks } from './calls.ts';

const geographer = defineAgent({
  name: 'geographer',
  instructions: 'You know every capital.',
  tools: [look],
  output: tags(['answer']),
});

describe('A valid answer', () => {
  test('ends the call', async () => {
    const model = scriptedModel(['Well, <answer>Lisbon</answer>.']);
    const { output, dialog, calls, attempts, run } = await geographer.call('Capital of Portugal?', { model });
    expect({ output, calls, attempts }).toEqual({ output: { answer: 'Lisbon' }, calls: [], attempts: 1 });
    expect(lines(dialog.messages)).toEqual([
      'user: Capital of Portugal?',
      'assistant: Well, <answer>Lisbon</answer>.',
    ]);
    expect(dialog.instructions).toBe('You know every capital.');
    expect(lines(model.calls[0]!.prompt)).toEqual([
      'system: You know every capital.\n\nWrite your answer in these tags: <answer>…</answer>.',
      'user: Capital of Portugal?',
    ]);
    expect(run?.getState()).toMatchObject({
      status: 'done',
      name: 'geographer',
      result: { answer: 'Lisbon' },
    });
  });

  test('is parsed with the schema that the model gets, also from a block of code', async () => {
    const model = scriptedModel(['On a Friday.', '{"day":5}', '```json\n{"day":"2026-01-02"}\n```']);
    const agent = defineAgent({
      name: 'dater',
      instructions: 'Find the day.',
      output: z.object({ day: z.string().transform((day) => new Date(day)) }),
      model,
    });
    const { output } = await agent.call('When?');
    expect(output.day).toEqual(new Date('2026-01-02'));
    expect(model.calls[0]!.responseFormat).toMatchObject({ type: 'json', schema: { required: ['day'] } });
    expect(lines(model.calls[2]!.prompt).filter((line) => line.startsWith('user: Your answer'))).toEqual([
      expect.stringContaining('it is not JSON'),
      expect.stringMatching(/day: .*expected string/),
    ]);
  });

  test.each([undefined, 42, { text: 'Hi' }])(
    'an input of %j is refused with an example of what to write',
    async (input) => {
      const model = scriptedModel([]);
      const error = await faultOf(geographer.call(input as never, { model }));
      expect(error).toMatchObject({
        code: 'invalid_definition',
        message: expect.stringContaining('Write a string, or a list of parts') as string,
      });
      expect(model.calls).toHaveLength(0);
    },
  );

  test('is plain text if the agent has no output', async () => {
    const agent = defineAgent({ name: 'plain', instructions: 'Talk.' });
    const { output } = await agent.call('Hi.', { model: scriptedModel([' Hello. ']) });
    expect(output).toBe(' Hello. ');
  });
});

describe('An invalid answer', () => {
  test('is corrected by the model, and removed once a valid answer arrives', async () => {
    const model = scriptedModel(['Lisbon.', '<answer>Lisbon', looks('map'), '<answer>Lisbon</answer>']);
    const { dialog, attempts, calls } = await geographer.call('Capital?', { model });
    expect(lines(model.calls[1]!.prompt).slice(1)).toEqual([
      'user: Capital?',
      'assistant: Lisbon.',
      'user: Your answer could not be used: <answer> is missing. Write it as <answer>…</answer>.\nPlease give the whole answer again, and nothing else.',
    ]);
    expect(lines(model.calls[2]!.prompt)).toHaveLength(6);
    expect(lines(model.calls[3]!.prompt).slice(1)).toEqual([
      'user: Capital?',
      'assistant: look({"at":"map"})',
      'tool: = "seen map"',
    ]);
    expect(lines(dialog.messages)).toEqual([
      'user: Capital?',
      'assistant: look({"at":"map"})',
      'tool: = "seen map"',
      'assistant: <answer>Lisbon</answer>',
    ]);
    expect(attempts).toBe(3);
    expect(calls).toEqual([
      { toolCallId: 'call-2-0', toolName: 'look', input: { at: 'map' }, output: 'seen map' },
    ]);
  });

  test('is corrected with text from a template or a function', async () => {
    const asked: unknown[] = [];
    const parse = async (text: string): Promise<number> => {
      if (!/^\d+$/.test(text)) throw new Error('no number: $& {"a":1}');
      return Number(text);
    };
    const config = { name: 'count', instructions: 'Count.', output: parse };
    const first = scriptedModel(['many', '3']);
    const agent = defineAgent({ ...config, onException: 'Fault {error_message}! {other}' });
    expect((await agent.call('How many?', { model: first })).output).toBe(3);
    expect(lines(first.calls[1]!.prompt).at(-1)).toBe('user: Fault no number: $& {"a":1}! {other}');

    const second = scriptedModel(['many', 'few', '3']);
    const told = defineAgent({
      ...config,
      onException(exception) {
        asked.push(exception);
        return `Again, ${exception.attempt}`;
      },
    });
    await told.call('How many?', { model: second });
    expect(asked).toEqual([
      { error_message: 'no number: $& {"a":1}', text: 'many', attempt: 1 },
      { error_message: 'no number: $& {"a":1}', text: 'few', attempt: 2 },
    ]);
    expect(lines(second.calls[2]!.prompt).at(-1)).toBe('user: Again, 2');
  });

  test('is not sent back to the model if it is empty', async () => {
    const model = scriptedModel(['  ', [], '<answer>Lisbon</answer>']);
    const { dialog, attempts } = await geographer.call('Capital?', { model });
    expect(attempts).toBe(3);
    const words =
      'user: Your answer could not be used: it is empty.\nPlease give the whole answer again, and nothing else.';
    expect(lines(model.calls[2]!.prompt).slice(1)).toEqual(['user: Capital?', words, words]);
    expect(dialog.messages).toHaveLength(2);
  });

  test('ends the call if it comes too often in a row, with an error that has the dialog and the counts', async () => {
    const model = scriptedModel(['a', looks('map'), 'b', 'c', 'd']);
    const agent = defineAgent({
      name: 'geographer',
      instructions: 'You know.',
      tools: [look],
      output: tags(['answer']),
      maxExceptionRetries: 2,
    });
    const error = await faultOf(agent.call('Capital?', { model }));
    expect(error.code).toBe('parse_failed');
    expect(error.message).toBe(
      'Agent "geographer" gave no valid answer in 4 attempts. Try another model, or ask for a simpler answer. The problem with the last answer: <answer> is missing. Write it as <answer>…</answer>.',
    );
    const { dialog, ...details } = error.details as CallErrorDetails;
    expect(details).toEqual({
      state: 'correcting',
      event: 'unreadable',
      attempts: 4,
      exceptions: 3,
      interrupts: 1,
      calls: [{ toolCallId: 'call-1-0', toolName: 'look', input: { at: 'map' }, output: 'seen map' }],
    });
    expect(lines(dialog.messages)).toEqual([
      'user: Capital?',
      'assistant: look({"at":"map"})',
      'tool: = "seen map"',
    ]);
  });

  test('ends the call if onException throws or returns no text', async () => {
    const agent = (onException: () => string) => defineAgent({ ...talks, output: tags(['a']), onException });
    const thrown = await faultOf(
      agent(throwing(new TypeError('no words'))).call('Hi.', { model: scriptedModel(['x']) }),
    );
    expect([thrown.code, thrown.message]).toEqual([
      'script_error',
      'onException of agent "it" threw: no words',
    ]);
    const silent = await faultOf(agent(() => '').call('Hi.', { model: scriptedModel(['x']) }));
    expect(silent.message).toBe('onException of agent "it" returned \'\'. Return the text for the model.');
  });
});

test('A text that was cut off is not an answer', async () => {
  const clerk = defineAgent({
    name: 'clerk',
    instructions: 'You talk.',
    model: scriptedModel([[{ text: 'It is a long' }, { finish: { reason: 'length' } }], 'Short.']),
  });
  expect(await clerk.call('Tell me.')).toMatchObject({ output: 'Short.', attempts: 2 });
});

describe('An answer in tags that was cut off', () => {
  const cut = (text: string): ScriptedTurn => [{ text }, { finish: { reason: 'length' } }];
  const whole = '<fact>a</fact>';

  test.each<[string, OutputConfig, string]>([
    ['with a list', tags({ required: ['fact'], lists: ['fact'] }), '<fact>a</fact><fact>b</fact><fact>c is'],
    ['between two tags of a list', tags({ required: ['fact'], lists: ['fact'] }), '<fact>a</fact>'],
    ['before an optional tag', tags({ required: ['fact'], optional: ['source'] }), whole],
    ['in a repeated tag', tags(['fact']), '<fact>draft</fact> better: <fact>b is'],
  ])('is not an answer: %s', async (_, output, text) => {
    const model = scriptedModel([cut(text), whole]);
    const { attempts } = await defineAgent({ ...talks, output }).call('Tell me.', { model });
    expect(attempts).toBe(2);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('it was cut off by the token limit');
  });

  test('is one if all of its tags are complete', async () => {
    const model = scriptedModel([cut('<fact>a</fact> And besides')]);
    const called = await defineAgent({ ...talks, output: tags(['fact']) }).call('Tell me.', { model });
    expect(called).toMatchObject({ output: { fact: 'a' }, attempts: 1 });
  });
});

describe('A correction', () => {
  test('has at most 10,000 characters of what is wrong', async () => {
    const items = Array.from({ length: 5_000 }, (_, at) => at);
    const model = scriptedModel([JSON.stringify({ items }), '{"items":[]}']);
    const output = z.object({ items: z.array(z.string()) });
    await defineAgent({ ...talks, output }).call('List.', { model });
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1)).length).toBeLessThan(11_000);
  });
});

describe('A call ends with an error', () => {
  const agent = defineAgent({ ...talks, tools: [look], limits: { steps: 2 } });

  test('at a limit', async () => {
    const error = await faultOf(agent.call('Hi.', { model: scriptedModel([looks('a'), looks('b')]) }));
    expect(error).toMatchObject({
      code: 'budget_exceeded',
      details: { state: 'interrupted', event: 'limit', interrupts: 2, limit: 'steps' },
    });
  });

  test('if the model fails for good', async () => {
    const model = scriptedModel([[{ throw: { message: 'wrong key', status: 401 } }]]);
    const error = await faultOf(agent.call('Hi.', { model }));
    expect(error).toMatchObject({ code: 'auth', details: { state: 'asking', event: 'broken', calls: [] } });
  });

  test('if its signal aborts', async () => {
    const controller = new AbortController();
    const model = scriptedModel([looks('a'), [{ delay: 60_000 }, 'late']]);
    const call = agent.call('Hi.', { model, signal: controller.signal });
    await vi.waitUntil(() => model.calls.length === 2);
    controller.abort();
    const error = await faultOf(call);
    expect(error).toMatchObject({
      code: 'aborted',
      details: { event: 'aborted', interrupts: 1, calls: [{ output: 'seen a' }] },
    });
    expect((error.details as CallErrorDetails).dialog.messages).toHaveLength(3);
    expect((await faultOf(agent.call('Hi.', { model, signal: controller.signal }))).code).toBe('aborted');
  });

  test('if a tool has no function', async () => {
    const asking = defineAgent({
      ...talks,
      tools: { ask: sdkTool({ inputSchema: jsonSchema({ type: 'object' }) }) },
    });
    const error = await faultOf(
      asking.call('Hi.', { model: scriptedModel([[{ toolCall: { name: 'ask' } }]]) }),
    );
    expect(error).toMatchObject({ code: 'script_error', details: { state: 'asking', event: 'waiting' } });
    expect((error.details as CallErrorDetails).dialog.messages).toHaveLength(1);
  });

  test('for a missing model or key, a wrong dialog or an unknown option', async () => {
    const call = (options: object) => faultOf(agent.call('Hi.', options));
    expect((await call({})).code).toBe('invalid_options');
    expect((await call({ model: 'openai:gpt-4o', models: { env: {} } })).code).toBe('missing_key');
    expect((await call({ dialog: { messages: [] } })).message).toMatch(/Make one with createDialog\(\)/);
    expect((await call({ dialgo: 1 })).message).toMatch(/Did you mean dialog\?/);
    expect((await faultOf(agent.call('', { model: scriptedModel([]) }))).code).toBe('invalid_definition');
    expect((await call({ context: {} })).message).toMatch(/does not come from a running tool/);
  });
});

test('The first call refuses options that an agent cannot have', async () => {
  const fault = async (options: object): Promise<string> => {
    const agent = defineAgent({ ...talks, options });
    const { code, message } = await faultOf(agent.call('Hi.', { model: scriptedModel([]) }));
    return `${code}: ${message}`;
  };
  expect(await fault({ temprature: 1 })).toBe(
    'invalid_definition: options of agent "it" has no "temprature". Did you mean temperature?',
  );
  expect(await fault({ tools: {} })).toBe(
    'invalid_definition: options of agent "it" cannot have tools. tools are not an option of the model call. Write defineAgent({ tools: [ … ] }).',
  );
});
