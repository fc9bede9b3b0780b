import { createRun, inProcess, runPrompt, tool, type CuelineError, type Run } from '@cueline/core';
import { defineAgent, tags, type CallErrorDetails } from '@cueline/core/agents';
import { createDialog, dialogFromJSON } from '@cueline/core/agents';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { jsonSchema, tool as sdkTool } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { finish, provider, text } from '../../support/scripted-provider.ts';
import { faultOf, lines } from './calls.ts';

const look = tool('look', 'Look at something', z.object({ at: z.string() }), ({ at }) => `seen ${at}`);
const looks = (at: string, id?: string): ScriptedTurn => [
  { toolCall: { name: 'look', input: { at }, ...(id === undefined ? {} : { id }) } },
];
const geographer = defineAgent({
  name: 'geographer',
  instructions: 'You know every capital.',
  tools: [look],
  output: tags(['answer']),
});

describe('an answer that can be read', () => {
  test('is the end', async () => {
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

  test('fits the schema, which the model is asked for', async () => {
    const model = scriptedModel(['{"day":"2026-01-02"}']);
    const agent = defineAgent({
      name: 'dater',
      instructions: 'Find the day.',
      output: z.object({ day: z.string().transform((day) => new Date(day)) }),
      model,
    });
    const { output } = await agent.call('When?');
    expect(output.day).toEqual(new Date('2026-01-02'));
    expect(model.calls[0]!.responseFormat).toMatchObject({ type: 'json', schema: { required: ['day'] } });
  });

  test.each([undefined, 42, { text: 'Hi' }])(
    'an input of %j is an error that shows what to write',
    async (input) => {
      const model = scriptedModel([]);
      const error = await faultOf(geographer.call(input as never, { model }));
      expect(error).toMatchObject({
        code: 'invalid_definition',
        message: expect.stringContaining('Write a text, or a list of parts') as string,
      });
      expect(model.calls).toHaveLength(0);
    },
  );

  test('is the text by default', async () => {
    const agent = defineAgent({ name: 'plain', instructions: 'Talk.' });
    const { output } = await agent.call('Hi.', { model: scriptedModel([' Hello. ']) });
    expect(output).toBe(' Hello. ');
  });
});

describe('an exception', () => {
  test('is sent to the model, and pruned once an answer is good', async () => {
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

  test('has the words of a template or of a function', async () => {
    const asked: unknown[] = [];
    const parse = (text: string): number => {
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

  test('an empty answer is an answer, and is not sent back', async () => {
    const model = scriptedModel(['  ', [], '<answer>Lisbon</answer>']);
    const { dialog, attempts } = await geographer.call('Capital?', { model });
    expect(attempts).toBe(3);
    const words =
      'user: Your answer could not be used: it is empty.\nPlease give the whole answer again, and nothing else.';
    expect(lines(model.calls[2]!.prompt).slice(1)).toEqual(['user: Capital?', words, words]);
    expect(dialog.messages).toHaveLength(2);
  });

  test('too many of them in a row end the call, with all that is known', async () => {
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
      'Agent "geographer" gave no answer that could be used, in 4 tries. The last fault: <answer> is missing. Write it as <answer>…</answer>.',
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

  test('a handler that throws, or returns nothing, ends the call', async () => {
    const agent = (onException: () => string) =>
      defineAgent({ name: 'it', instructions: 'Talk.', output: tags(['a']), onException });
    const thrown = await faultOf(
      agent(() => {
        throw new TypeError('no words');
      }).call('Hi.', { model: scriptedModel(['x']) }),
    );
    expect([thrown.code, thrown.message]).toEqual([
      'script_error',
      'onException of agent "it" threw: no words',
    ]);
    const silent = await faultOf(agent(() => '').call('Hi.', { model: scriptedModel(['x']) }));
    expect(silent.message).toBe('onException of agent "it" returned \'\'. Return the text for the model.');
  });
});

describe('an interrupt', () => {
  test('stays, with the words of the handler', async () => {
    const model = scriptedModel([
      [...(looks('a') as object[]), ...(looks('b') as object[])] as ScriptedTurn,
      '<answer>x</answer>',
    ]);
    const agent = defineAgent({
      name: 'it',
      instructions: 'Talk.',
      tools: [look],
      output: tags(['answer']),
      onInterrupt: 'You have {call_results}',
    });
    const { dialog } = await agent.call('Hi.', { model });
    const expected = [
      'user: Hi.',
      'assistant: look({"at":"a"}) look({"at":"b"})',
      'tool: = "seen a" = "seen b"',
      'user: You have look {"at":"a"}: seen a\nlook {"at":"b"}: seen b',
    ];
    expect(lines(model.calls[1]!.prompt).slice(1)).toEqual(expected);
    expect(lines(dialog.messages)).toEqual([...expected, 'assistant: <answer>x</answer>']);
  });

  test('a function gets the round, and may return nothing', async () => {
    const onInterrupt = vi.fn().mockReturnValueOnce(undefined).mockReturnValueOnce('Hurry.');
    const agent = defineAgent({ name: 'it', instructions: 'Talk.', tools: [look], onInterrupt });
    const model = scriptedModel([looks('a'), looks('b'), 'Done.']);
    const { dialog } = await agent.call('Hi.', { model });
    expect(onInterrupt.mock.calls).toEqual([
      [
        {
          call_results: [{ toolCallId: 'call-0-0', toolName: 'look', input: { at: 'a' }, output: 'seen a' }],
          interrupt: 1,
          remaining: 4,
        },
      ],
      [
        {
          call_results: [{ toolCallId: 'call-1-0', toolName: 'look', input: { at: 'b' }, output: 'seen b' }],
          interrupt: 2,
          remaining: 3,
        },
      ],
    ]);
    expect(lines(dialog.messages)[5]).toBe('user: Hurry.');
  });

  test('a handler that throws ends the call, which keeps the round', async () => {
    const agent = defineAgent({
      name: 'it',
      instructions: 'Talk.',
      tools: [look],
      onInterrupt: () => {
        throw new Error('no words');
      },
    });
    const error = await faultOf(agent.call('Hi.', { model: scriptedModel([looks('a')]) }));
    expect(error).toMatchObject({
      code: 'script_error',
      message: 'onInterrupt of agent "it" threw: no words',
      details: { state: 'interrupted', event: 'broken', interrupts: 1 },
    });
    expect((error.details as CallErrorDetails).dialog.messages).toHaveLength(3);
  });

  test('after the last, the final response is asked for, without calls', async () => {
    const ran: string[] = [];
    const noted = tool('look', 'Look', z.object({ at: z.string() }), ({ at }) => ran.push(at));
    const agent = defineAgent({
      name: 'it',
      instructions: 'Talk.',
      tools: [noted],
      maxInterrupts: 2,
      onInterrupt: ({ remaining }) => `${remaining} left.`,
    });
    const model = scriptedModel([looks('a'), looks('b'), looks('c'), 'Done.']);
    const { dialog, calls, attempts } = await agent.call('Hi.', { model });
    expect(ran).toEqual(['a', 'b']);
    expect(model.calls.map(({ toolChoice }) => toolChoice?.type)).toEqual(['auto', 'auto', 'none', 'none']);
    expect(model.calls.every(({ tools }) => tools?.length === 1)).toBe(true);
    expect(lines(model.calls[3]!.prompt).slice(-2)).toEqual([
      'user: 0 left.\n\nPlease provide your final response.',
      'user: Your answer could not be used: it calls look, and no tool can be called any more.\nPlease give the whole answer again, and nothing else.',
    ]);
    expect(lines(dialog.messages).slice(-2)).toEqual([
      'user: 0 left.\n\nPlease provide your final response.',
      'assistant: Done.',
    ]);
    expect([calls.length, attempts]).toEqual([2, 2]);
  });

  test('with zero allowed, no tool is called at all', async () => {
    const agent = defineAgent({ name: 'it', instructions: 'Talk.', tools: [look], maxInterrupts: 0 });
    const model = scriptedModel([looks('a'), 'Done.']);
    const { calls, attempts } = await agent.call('Hi.', { model });
    expect([calls, attempts]).toEqual([[], 2]);
    expect(model.calls[0]!.toolChoice?.type).toBe('none');
  });

  test('a call that the provider ran is not a fault of the answer', async () => {
    const agent = defineAgent({ name: 'it', instructions: 'Talk.', tools: [look], maxInterrupts: 0 });
    const chunks: LanguageModelV4StreamPart[] = [
      { type: 'tool-input-start', id: 'w', toolName: 'web_search', providerExecuted: true },
      { type: 'tool-input-end', id: 'w' },
      { type: 'tool-call', toolCallId: 'w', toolName: 'web_search', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'w', toolName: 'web_search', result: { hits: 1 } },
      ...text('Done.'),
      finish('stop'),
    ];
    const { output, attempts, dialog } = await agent.call('Hi.', { model: provider([chunks]).model });
    expect([output, attempts]).toEqual(['Done.', 1]);
    expect(lines(dialog.messages)).toEqual(['user: Hi.', 'assistant: Done.']);
  });

  test('a call that was refused in an answer that broke off does not belong to the next one', async () => {
    const agent = defineAgent({ name: 'it', instructions: 'Talk.', tools: [look], maxInterrupts: 0 });
    const model = scriptedModel([
      [
        { toolCall: { name: 'look', input: { at: 'a' } } },
        { error: { type: 'overloaded_error', message: 'busy' } },
      ],
      'Done.',
    ]);
    const { attempts, run } = await agent.call('Hi.', { model });
    expect([attempts, model.calls.length]).toEqual([1, 2]);
    expect(run?.log().filter(({ type }) => type === 'retry')).toHaveLength(1);
  });

  test('a repeated call is answered with a note, whatever came between; a failed one runs again', async () => {
    let runs = 0;
    const flaky = tool('flaky', 'Fails at first', z.object({}), () => {
      runs += 1;
      if (runs === 1) throw new Error('not yet');
      return runs;
    });
    const agent = defineAgent({ name: 'it', instructions: 'Talk.', tools: [flaky, look], maxInterrupts: 9 });
    const flakes: ScriptedTurn = [{ toolCall: { name: 'flaky' } }];
    const model = scriptedModel([flakes, flakes, looks('a'), flakes, 'Done.']);
    const { calls } = await agent.call('Hi.', { model });
    expect(calls).toEqual([
      { toolCallId: 'call-0-0', toolName: 'flaky', input: {}, error: 'Error: not yet' },
      { toolCallId: 'call-1-0', toolName: 'flaky', input: {}, output: 2 },
      { toolCallId: 'call-2-0', toolName: 'look', input: { at: 'a' }, output: 'seen a' },
      { toolCallId: 'call-3-0', toolName: 'flaky', input: {}, output: 2, repeated: true },
    ]);
    expect(runs).toBe(2);
  });

  test('the model reads that a tool is unknown, or that arguments do not fit', async () => {
    const agent = defineAgent({ name: 'it', instructions: 'Talk.', tools: [look] });
    const model = scriptedModel([
      [{ toolCall: { name: 'fly' } }],
      [{ toolCall: { name: 'look', input: { where: 1 } } }],
      'Done.',
    ]);
    const { calls, dialog } = await agent.call('Hi.', { model });
    expect(calls.map(({ toolName, error }) => [toolName, typeof error])).toEqual([
      ['fly', 'string'],
      ['look', 'string'],
    ]);
    expect(dialog.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ]);
  });

  test('tools of the AI SDK are tools, too', async () => {
    const add = sdkTool({
      inputSchema: jsonSchema<{ a: number }>({ type: 'object' }),
      execute: async ({ a }) => a + 1,
    });
    const agent = defineAgent({ name: 'it', instructions: 'Talk.', tools: { add } });
    const model = scriptedModel([[{ toolCall: { name: 'add', input: { a: 1 } } }], 'Two.']);
    const { calls } = await agent.call('Hi.', { model });
    expect(calls).toEqual([{ toolCallId: 'call-0-0', toolName: 'add', input: { a: 1 }, output: 2 }]);
  });
});

describe('what ends a call from outside', () => {
  const agent = defineAgent({ name: 'it', instructions: 'Talk.', tools: [look], limits: { steps: 2 } });

  test('a limit', async () => {
    const error = await faultOf(agent.call('Hi.', { model: scriptedModel([looks('a'), looks('b')]) }));
    expect(error).toMatchObject({
      code: 'budget_exceeded',
      details: { state: 'interrupted', event: 'limit', interrupts: 2, limit: 'steps' },
    });
  });

  test('a model that fails for good', async () => {
    const model = scriptedModel([[{ throw: { message: 'wrong key', status: 401 } }]]);
    const error = await faultOf(agent.call('Hi.', { model }));
    expect(error).toMatchObject({ code: 'auth', details: { state: 'asking', event: 'broken', calls: [] } });
  });

  test('a signal', async () => {
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

  test('a tool that has no function here', async () => {
    const asking = defineAgent({
      name: 'it',
      instructions: 'Talk.',
      tools: { ask: sdkTool({ inputSchema: jsonSchema({ type: 'object' }) }) },
    });
    const error = await faultOf(
      asking.call('Hi.', { model: scriptedModel([[{ toolCall: { name: 'ask' } }]]) }),
    );
    expect(error).toMatchObject({ code: 'script_error', details: { state: 'asking', event: 'waiting' } });
    expect((error.details as CallErrorDetails).dialog.messages).toHaveLength(1);
  });

  test('no model, no key, and an invalid dialog', async () => {
    const call = (options: object) => faultOf(agent.call('Hi.', options));
    expect((await call({})).code).toBe('invalid_options');
    expect((await call({ model: 'openai:gpt-4o', models: { env: {} } })).code).toBe('missing_key');
    expect((await call({ dialog: { messages: [] } })).message).toMatch(/Make one with createDialog\(\)/);
    expect((await call({ dialgo: 1 })).message).toMatch(/Did you mean dialog\?/);
    expect((await faultOf(agent.call('', { model: scriptedModel([]) }))).code).toBe('invalid_definition');
    expect((await call({ context: {} })).message).toMatch(/is not one that a running tool was given/);
  });
});

test('options that an agent cannot have are refused with its first call', async () => {
  const fault = async (options: object): Promise<string> => {
    const agent = defineAgent({ name: 'it', instructions: 'Talk.', options });
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

describe('a dialog', () => {
  test('is gone on with, and has all of it', async () => {
    const agent = defineAgent({ name: 'it', instructions: 'Talk.', tools: [look] });
    const first = await agent.call('One.', { model: scriptedModel([looks('a', 'c1'), 'Uno.']) });
    const stored = dialogFromJSON(JSON.parse(JSON.stringify(first.dialog)));
    const model = scriptedModel(['Due.']);
    const second = await agent.call('Two.', { model, dialog: stored });
    expect(lines(model.calls[0]!.prompt)).toEqual([
      'system: Talk.',
      'user: One.',
      'assistant: look({"at":"a"})',
      'tool: = "seen a"',
      'assistant: Uno.',
      'user: Two.',
    ]);
    expect(second.dialog.id).toBe(first.dialog.id);
    expect(second.dialog.messages).toHaveLength(6);
    expect(stored.messages).toHaveLength(4);
  });

  test('can hold files', async () => {
    const model = scriptedModel(['A dot.']);
    const agent = defineAgent({ name: 'it', instructions: 'Look.' });
    const { dialog } = await agent.call(
      [
        { type: 'text', text: 'What is it?' },
        { type: 'image', image: Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10) },
        { type: 'image', image: new Blob([Uint8Array.of(1)], { type: 'image/png' }) },
      ],
      { model, dialog: createDialog(['Hi.', { role: 'assistant', content: 'Hi.' }]) },
    );
    expect(model.calls[0]!.prompt.at(-1)).toMatchObject({
      role: 'user',
      content: [
        { type: 'text' },
        { mediaType: 'image/png', data: { data: 'iVBORw0KGgo=' } },
        { data: { data: 'AQ==' } },
      ],
    });
    expect(dialogFromJSON(JSON.parse(JSON.stringify(dialog))).messages).toEqual(dialog.messages);
  });
});

describe('an agent is a prompt', () => {
  const agent = defineAgent({ name: 'it', instructions: 'Talk.', output: tags(['answer']) });

  test('a run of it is a call, and shows how the model was corrected', async () => {
    const run = createRun(agent, { model: scriptedModel(['no', '<answer>yes</answer>']) });
    expect(await run.start('Is it?')).toEqual({ answer: 'yes' });
    expect(run.getState().steps[1]?.steered).toMatchObject([{ cause: 'correction' }]);
  });

  test('so is a run of its prompt, and what it continues', async () => {
    const model = scriptedModel(['<answer>1</answer>', 'two', '<answer>2</answer>']);
    const run = createRun(agent.prompt('One?', { dialog: createDialog('Before.') }), {
      executor: inProcess(),
      model,
    });
    expect(await run.start()).toEqual({ answer: '1' });
    expect(await run.send('Two?')).toEqual({ answer: '2' });
    expect(lines(model.calls[2]!.prompt).slice(1)).toEqual([
      'user: Before.',
      'user: One?',
      'assistant: <answer>1</answer>',
      'user: Two?',
      'assistant: two',
      expect.stringMatching(/^user: Your answer could not be used/) as string,
    ]);
  });

  test('a later turn contains neither unusable answers nor the corrections', async () => {
    const model = scriptedModel(['no', 'nor this', '<answer>1</answer>', '<answer>2</answer>']);
    const run = createRun(agent, { model });
    expect(await run.start('One?')).toEqual({ answer: '1' });
    expect(await run.send('Two?')).toEqual({ answer: '2' });
    expect(lines(model.calls[3]!.prompt).slice(1)).toEqual([
      'user: One?',
      'assistant: <answer>1</answer>',
      'user: Two?',
    ]);
  });

  test('a schema’s object is seen as it arrives', async () => {
    const schemed = defineAgent({
      name: 'it',
      instructions: 'Talk.',
      output: z.object({ a: z.array(z.string()) }),
    });
    const run = createRun(schemed.prompt('Go.'), { model: scriptedModel(['{"a":["b"]}'], { chunkSize: 4 }) });
    const seen: unknown[] = [];
    run.listen((event) => event.type === 'text-delta' && seen.push(run.getState().object));
    expect(await run.start()).toEqual({ a: ['b'] });
    expect(seen).toContainEqual({ a: ['b'] });
  });

  test('its runs fail as any', async () => {
    const run = createRun(agent, { model: scriptedModel(['a', 'b', 'c', 'd']) });
    await expect(run.start('Is it?')).rejects.toMatchObject({ code: 'parse_failed' });
    expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'parse_failed' } });
  });
});

describe('a call inside a tool', () => {
  const inner = defineAgent({
    name: 'inner',
    instructions: 'Inner.',
    tools: [look],
    output: tags(['answer']),
  });

  test('is part of its run', async () => {
    const model = scriptedModel([
      [{ toolCall: { name: 'ask', id: 'outer' } }],
      'no tags',
      looks('a', 'inner'),
      '<answer>42</answer>',
      'It is 42.',
    ]);
    const { run } = await runPrompt(
      (prompt) => {
        prompt.defTool('ask', 'Ask', z.object({}), async (_, context) => {
          const { output, calls, run: own, attempts } = await inner.call('What?', { context });
          expect([calls.length, own, attempts]).toEqual([1, undefined, 2]);
          return output;
        });
        prompt.$`Go.`;
      },
      { model },
    );
    const state = await run.finished;
    expect(state).toMatchObject({
      status: 'done',
      text: 'It is 42.',
      toolCalls: [{ toolName: 'ask', output: { answer: '42' } }],
      agents: [{ path: 'outer', name: 'inner', status: 'done', output: { answer: '42' }, input: 'What?' }],
    });
    expect(lines(model.calls[3]!.prompt)).toEqual([
      'system: Inner.\n\nWrite your answer in these tags: <answer>…</answer>.',
      'user: What?',
      'assistant: look({"at":"a"})',
      'tool: = "seen a"',
    ]);
  });

  test('fails as its tool, and stops with its run', async () => {
    const faults: CuelineError[] = [];
    const ask = tool('ask', 'Ask', z.object({}), async (_, context) => {
      const error = await faultOf(inner.call('What?', { context }));
      faults.push(error);
      throw error;
    });
    const outer = defineAgent({ name: 'outer', instructions: 'Outer.', tools: [ask] });
    const model = scriptedModel([[{ toolCall: { name: 'ask' } }], 'a', 'b', 'c', 'd', 'Never mind.']);
    const { calls, output } = await outer.call('Go.', { model });
    expect(output).toBe('Never mind.');
    expect(calls).toMatchObject([
      { toolName: 'ask', error: expect.stringMatching(/^Agent "inner" gave no answer/) as string },
    ]);
    expect(faults[0]).toMatchObject({ code: 'parse_failed', details: { attempts: 4, exceptions: 4 } });

    const slow = scriptedModel([[{ toolCall: { name: 'ask' } }], [{ delay: 60_000 }, 'late']]);
    const controller = new AbortController();
    const call = outer.call('Go.', { model: slow, signal: controller.signal });
    await vi.waitUntil(() => slow.calls.length === 2);
    controller.abort();
    expect((await faultOf(call)).code).toBe('aborted');
    await vi.waitUntil(() => faults.length === 2);
    expect(faults[1]?.code).toBe('aborted');
  });
});

test('every step asks for no more than it must: the conversation keeps its messages', async () => {
  const agent = defineAgent({ name: 'it', instructions: 'Talk.', tools: [look], maxInterrupts: 9 });
  const model = scriptedModel([looks('a'), looks('b'), looks('c'), 'Done.']);
  const { run } = await agent.call('Hi.', { model });
  const kept = run!.log().flatMap((event) => (event.type === 'step-start' ? [event.request.keep] : []));
  expect(kept).toEqual([0, 1, 3, 5]);
});

test('a call whose tool needs an approval waits for it, through the run that onRun receives', async () => {
  const sent: string[] = [];
  const send = tool(
    'send',
    'Send a letter',
    z.object({ to: z.string() }),
    ({ to }) => {
      sent.push(to);
      return 'sent';
    },
    { needsApproval: true },
  );
  const model = scriptedModel([[{ toolCall: { name: 'send', input: { to: 'Ada' } } }], 'It is sent.']);
  const clerk = defineAgent({ name: 'clerk', instructions: 'You send letters.', model, tools: [send] });
  const { output } = await clerk.call('Write to Ada.', {
    onRun(run) {
      run.listen((event) => {
        if (event.type === 'approval-request')
          void run.respondToApproval(event.approvalId, { approved: true });
      });
    },
  });
  expect(output).toBe('It is sent.');
  expect(sent).toEqual(['Ada']);
});

test('if onRun throws, the call is stopped and rejects with that error', async () => {
  const clerk = defineAgent({ name: 'clerk', instructions: 'You talk.', model: scriptedModel(['Hello.']) });
  let seen: Run | undefined;
  const onRun = (run: Run): never => {
    seen = run;
    throw new Error('no room to show it');
  };
  await expect(clerk.call('Hello.', { onRun })).rejects.toThrow('no room to show it');
  await expect.poll(() => seen?.getState().status).toBe('stopped');
});

test('a text that was cut off is not an answer', async () => {
  const clerk = defineAgent({
    name: 'clerk',
    instructions: 'You talk.',
    model: scriptedModel([[{ text: 'It is a long' }, { finish: { reason: 'length' } }], 'Short.']),
  });
  expect(await clerk.call('Tell me.')).toMatchObject({ output: 'Short.', attempts: 2 });
});
