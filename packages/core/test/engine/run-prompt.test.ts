import {
  CuelineError,
  definePlugin,
  definePrompt,
  inProcess,
  runPrompt,
  type Prompt,
  type RunEvent,
} from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { getEventListeners } from 'node:events';
import { isStepCount, tool as aiTool, type TextStreamPart, type ToolSet } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { go, play, timeless, types } from '../support.ts';
import { after } from '../support/runs.ts';

const sayHi = (prompt: Prompt) => prompt.$`Hi.`;

async function codeOf(promise: PromiseLike<unknown>): Promise<string | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    return CuelineError.isInstance(error) ? error.code : `not ours: ${String(error)}`;
  }
}

describe('runPrompt', () => {
  test('the whole sequence of a run with a tool', async () => {
    const { events } = await play(
      (prompt) => {
        const name = prompt.def('USER_NAME', 'Ada');
        prompt.defTool(
          'getWeather',
          'Weather',
          z.object({ city: z.string() }),
          ({ city }) => `Sunny in ${city}`,
        );
        prompt.$`Help ${name}.`;
      },
      [['Look.', { toolCall: { name: 'getWeather', input: { city: 'Lisbon' } } }], 'It is sunny.'],
    );
    expect(types(events)).toEqual([
      'run-start',
      'variable-set',
      'step-start',
      'text-start',
      'text-delta',
      'text-end',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-start',
      'tool-end',
      'step-end',
      'step-start',
      'text-start',
      'text-delta',
      'text-end',
      'step-end',
      'run-end',
    ]);
    expect(timeless(events)[2]).toMatchInlineSnapshot(`
      {
        "request": {
          "instructions": "Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

      <USER_NAME>Ada</USER_NAME>",
          "keep": 0,
          "messages": [
            {
              "content": "Help <USER_NAME>.",
              "role": "user",
            },
          ],
          "model": "simulated:scripted",
          "settings": {},
          "tools": [
            {
              "description": "Weather",
              "inputSchema": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "additionalProperties": false,
                "properties": {
                  "city": {
                    "type": "string",
                  },
                },
                "required": [
                  "city",
                ],
                "type": "object",
              },
              "name": "getWeather",
            },
          ],
        },
        "seq": 2,
        "step": 0,
        "type": "step-start",
      }
    `);
    // the second step says only what is new in it
    expect(Object.keys((events[12] as Extract<RunEvent, { type: 'step-start' }>).request)).toEqual([
      'keep',
      'messages',
    ]);
  });

  test('result is the AI SDK’s, and reading it alone makes the run go', async () => {
    const model = scriptedModel([[{ toolCall: { name: 'add', input: { a: 2, b: 3 } } }], 'Five.']);
    const { result, prompt, run } = await runPrompt(
      (p) => {
        p.defTool('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b);
        p.$`2 + 3?`;
      },
      { model },
    );
    expect(await result.text).toBe('Five.');
    expect((await result.toolResults).map((r) => r.output)).toEqual([5]);
    expect((await result.usage).totalTokens).toBeGreaterThan(0);
    expect(await result.steps).toHaveLength(2);
    expect(run.getState().status).toBe('done');
    expect([...prompt.definitions.tools.keys()]).toEqual(['add']);
  });

  test('does nothing until something reads it', async () => {
    const { run } = await runPrompt(sayHi, {
      model: scriptedModel([[{ text: 'x'.repeat(5_000), chunkSize: 1 }]]),
    });
    await after(20);
    expect(run.getState().status).toBe('running');
    expect((await run.finished).text).toHaveLength(5_000);
  });

  test('tools that the AI SDK starts early are still logged after their call, with true times', async () => {
    const { events, state } = await play(
      (prompt) => {
        prompt.defTool('slow', '', z.object({ ms: z.number() }), async ({ ms }) => {
          await after(ms);
          return ms;
        });
        prompt.$`Wait.`;
      },
      [
        [
          { toolCall: { name: 'slow', input: { ms: 60 } } },
          { toolCall: { name: 'slow', input: { ms: 20 } } },
        ],
        'Done.',
      ],
    );
    for (const call of state.toolCalls) {
      const at = (type: string) =>
        events.findIndex((e) => e.type === type && 'toolCallId' in e && e.toolCallId === call.toolCallId);
      expect(at('tool-input-end')).toBeLessThan(at('tool-start'));
      expect(at('tool-start')).toBeLessThan(at('tool-end'));
      expect(call.ms).toBeGreaterThan((call.input as { ms: number }).ms - 5);
    }
    const [first, second] = state.toolCalls;
    // in parallel: the second ends while the first still runs
    expect(second!.finishedAt!).toBeLessThan(first!.finishedAt!);
  });

  test('a definition gives its input, its name and its model', async () => {
    const model = scriptedModel(['Ok.']);
    const plan = definePrompt(
      'plan',
      async (prompt, { city }: { city: string }) => {
        await Promise.resolve();
        prompt.$`Plan a day in ${city}.`;
      },
      { model },
    );
    const { run } = await runPrompt(plan, { input: { city: 'Faro' } });
    const state = await run.finished;
    expect(state.name).toBe('plan');
    expect(state.messages[0]!.parts).toEqual([{ type: 'text', text: 'Plan a day in Faro.' }]);
    expect(run.log()[0]).toMatchObject({ type: 'run-start', input: { city: 'Faro' }, simulated: true });
  });

  test('earlier turns follow the prompt’s own messages', async () => {
    const first = await play(sayHi, ['Hello.']);
    const answer = first.run.getState().messages.at(-1)!;
    const again = await play(sayHi, ['You again.'], {
      messages: [answer, { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'Once more.' }] }],
    });
    expect(
      again.model.calls[0]!.prompt.map((m) => [m.role, (m.content as { text: string }[])[0]?.text]),
    ).toEqual([
      ['user', 'Hi.'],
      ['assistant', 'Hello.'],
      ['user', 'Once more.'],
    ]);
    expect(again.run.getState().messages.map((m) => m.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  test('preliminary results are all in the log, before the last', async () => {
    const { events, state } = await play(
      go((prompt) =>
        prompt.defTool('count', '', z.object({ n: z.number() }), async function* () {
          for (const step of [1, 2, 3, 4]) yield step;
        }),
      ),
      [
        [{ toolCall: { name: 'count', input: { n: 1 } } }, { toolCall: { name: 'count', input: { n: 2 } } }],
        'Done.',
      ],
    );
    for (const { toolCallId } of state.toolCalls) {
      const outputs = events.flatMap((event) =>
        (event.type === 'tool-preliminary' || event.type === 'tool-end') && event.toolCallId === toolCallId
          ? [[event.type, event.output]]
          : [],
      );
      expect(outputs).toEqual([
        ['tool-preliminary', 1],
        ['tool-preliminary', 2],
        ['tool-preliminary', 3],
        ['tool-preliminary', 4],
        ['tool-end', 4],
      ]);
    }
  });

  test('a call id that a later answer uses again is another call', async () => {
    const call = { toolCall: { name: 'echo', id: 'call_0', input: { n: 1 } } };
    const again = { toolCall: { name: 'echo', id: 'call_0', input: { n: 2 } } };
    const { run } = await play(
      go((prompt) => prompt.defTool('echo', '', z.object({ n: z.number() }), ({ n }) => `r${n}`)),
      [[call], [again], 'Done.'],
    );
    expect(
      run.getState().toolCalls.map(({ step, input, output, state }) => [step, input, output, state]),
    ).toEqual([
      [0, { n: 1 }, 'r1', 'output-available'],
      [1, { n: 2 }, 'r2', 'output-available'],
    ]);
  });

  test('the log does not change with the caller’s own objects', async () => {
    const turn = { id: 'u', role: 'user' as const, parts: [{ type: 'text' as const, text: 'before' }] };
    const { events } = await play(sayHi, ['Ok.'], { messages: [turn] });
    turn.parts[0]!.text = 'after';
    expect(JSON.stringify(events)).not.toContain('after');
  });

  test('a tool’s error is logged without the key in it', async () => {
    const { state, events } = await play(
      go((prompt) =>
        prompt.defTool('leak', '', z.object({}), () => {
          throw new Error('refused: plain-words-that-look-like-no-key');
        }),
      ),
      [[{ toolCall: { name: 'leak' } }], 'Ok.'],
      { env: { ANY_API_KEY: 'plain-words-that-look-like-no-key' } },
    );
    expect(state.toolCalls[0]!.errorText).toContain('refused');
    expect(JSON.stringify(events)).not.toContain('plain-words');
  });

  test('a tool that returns nothing, or something that is not JSON, does not end the run', async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const { state } = await play(
      (prompt) => {
        prompt.defTool('nothing', '', z.object({}), () => undefined);
        prompt.defTool('nil', '', z.object({}), () => null);
        prompt.defTool('cycle', '', z.object({}), () => cyclic);
        prompt.$`Go.`;
      },
      [
        [{ toolCall: { name: 'nothing' } }, { toolCall: { name: 'nil' } }, { toolCall: { name: 'cycle' } }],
        'Fine.',
      ],
    );
    expect(state.status).toBe('done');
    expect(state.text).toBe('Fine.');
    expect(state.toolCalls.map((call) => call.state)).toEqual([
      'output-available',
      'output-available',
      'output-error',
    ]);
    expect(state.toolCalls[2]!.errorText).toContain('is not JSON');
  });

  test('what a tool defines holds from the next step on', async () => {
    const { model, state } = await play(
      go((prompt) =>
        prompt.defTool('learn', '', z.object({}), () => {
          prompt.def('FACT', 'Water is wet.');
          prompt.defTool('more', '', z.object({}), () => 'more');
          return 'ok';
        }),
      ),
      [[{ toolCall: { name: 'learn' } }], 'Fine.'],
    );
    const sent = model.calls.map((call) => [
      JSON.stringify(call.prompt).includes('Water is wet'),
      call.tools?.map((tool) => tool.name),
    ]);
    expect(sent).toEqual([
      [false, ['learn']],
      [true, ['learn', 'more']],
    ]);
    expect(state.variables['FACT']).toEqual({ kind: 'text', value: 'Water is wet.' });
  });

  test('a tool added after a start without any is refused, not dropped', async () => {
    const { prompt, state } = await play(sayHi, ['Fine.']);
    expect(state.status).toBe('done');
    expect(() => prompt.defTool('late', '', z.object({}), () => 1)).toThrow('started without tools');
  });

  test('a message added after the start is refused, not dropped', async () => {
    const { state } = await play(
      go((prompt) => prompt.defTool('say', '', z.object({}), () => prompt.$`Late.`)),
      [[{ toolCall: { name: 'say' } }], 'Fine.'],
    );
    expect(state.toolCalls[0]!.errorText).toContain('first messages are fixed');
  });
});

describe('options', () => {
  test('reach the model call', async () => {
    const { model, events } = await play(sayHi, ['Ok.'], {
      options: {
        system: 'Be brief.',
        maxOutputTokens: 100,
        temperature: 0.5,
        topP: 0.9,
        topK: 40,
        presencePenalty: 0.1,
        frequencyPenalty: 0.2,
        stopSequences: ['END'],
        seed: 7,
        headers: { 'x-test': 'yes' },
        toolChoice: 'none',
        tools: { ready: { description: 'Made', inputSchema: z.object({}), execute: () => 1 } },
        providerOptions: { test: { a: 1 } },
      },
    });
    expect(model.calls[0]).toMatchObject({
      maxOutputTokens: 100,
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      stopSequences: ['END'],
      seed: 7,
      headers: { 'x-test': 'yes' },
      toolChoice: { type: 'none' },
      tools: [{ name: 'ready' }],
      providerOptions: { test: { a: 1 } },
    });
    expect(model.calls[0]!.prompt[0]).toMatchObject({ role: 'system', content: 'Be brief.' });
    const request = (events.find((e) => e.type === 'step-start') as { request: { settings: object } })
      .request;
    expect(request.settings).toMatchObject({ temperature: 0.5, seed: 7, toolChoice: 'none' });
    expect(JSON.stringify(events)).not.toContain('x-test');
  });

  test('both names of a callback are called, each in its place', async () => {
    const called: string[] = [];
    const note = (name: string) => () => void called.push(name);
    const { result } = await play(
      go((prompt) => prompt.defTool('t', '', z.object({}), () => 1)),
      [[{ toolCall: { name: 't' } }], 'Ok.'],
      {
        options: {
          onStart: note('start'),
          onStepStart: note('step-start'),
          onStepEnd: note('step-end'),
          onStepFinish: note('step-finish'),
          onEnd: note('end'),
          onFinish: note('finish'),
          onToolExecutionStart: note('tool-start'),
          onToolExecutionEnd: note('tool-end'),
          onChunk: ({ chunk }) => {
            if (chunk.type === 'text-delta') called.push('delta');
          },
        },
      },
    );
    // the AI SDK calls onEnd after the last part of the stream, which is where the run ends
    await result.text;
    await after(0);
    expect(called).toEqual(
      [
        'start',
        'step-start tool-start tool-end step-end step-finish',
        'step-start delta step-end step-finish',
        'end finish',
      ].flatMap((names) => names.split(' ')),
    );
  });

  test('prepareStep has the last word and sees what we compiled', async () => {
    const other = scriptedModel(['From the other.'], { modelId: 'other' });
    const seen: unknown[] = [];
    const { model, state } = await play(
      (prompt) => {
        prompt.defSystem('role', 'Helper.');
        prompt.defTool('a', '', z.object({}), () => 1);
        prompt.defTool('b', '', z.object({}), () => 2);
        prompt.$`Go.`;
      },
      [[{ toolCall: { name: 'a' } }]],
      {
        providers: { mine: () => other },
        options: {
          prepareStep: ({ stepNumber, instructions }) => {
            seen.push(instructions);
            return stepNumber === 0
              ? { activeTools: ['a'] }
              : { model: 'mine:other', system: 'Now brief.', temperature: 0.9 };
          },
        },
      },
    );
    expect(seen[0]).toBe('role:\nHelper.');
    expect(state.steps[1]!.request.settings).toMatchObject({ temperature: 0.9 });
    expect(model.calls[0]!.tools?.map((tool) => tool.name)).toEqual(['a']);
    expect(other.calls[0]!.prompt[0]).toMatchObject({ role: 'system', content: 'Now brief.' });
    expect(other.calls[0]!.tools?.map((tool) => tool.name)).toEqual(['a', 'b']);
    expect(state.text).toBe('From the other.');
    expect(state.steps.map((step) => step.request.model)).toEqual(['simulated:scripted', 'simulated:other']);
  });

  test('stopWhen stops, and without it a run ends at its limit of 50 steps', async () => {
    const loop = Array.from({ length: 60 }, () => [{ toolCall: { name: 't' } }]);
    const script = (prompt: Prompt) => {
      prompt.defTool('t', '', z.object({}), () => 1, { repeatable: true });
      prompt.$`Go.`;
    };
    const own = await play(script, loop, { options: { stopWhen: isStepCount(55) } });
    expect(own.run.getState().steps).toHaveLength(55);
    const short = await play(script, loop, { options: { stopWhen: isStepCount(2) } });
    expect(short.run.getState().steps).toHaveLength(2);
    expect(short.run.getState().warnings).toEqual([]);
    const long = await play(script, loop);
    expect(long.run.getState().steps).toHaveLength(50);
    expect(long.run.getState()).toMatchObject({
      status: 'error',
      error: { code: 'budget_exceeded', details: { limit: 'steps', allowed: 50 } },
    });
  });

  test('instructions of prepareStep hold for later steps too, as in the AI SDK', async () => {
    const seen: unknown[] = [];
    const { model } = await play(
      (prompt) => {
        prompt.def('A', 'a');
        prompt.defTool('t', '', z.object({}), () => 1);
        prompt.$`Go.`;
      },
      [[{ toolCall: { name: 't' } }], 'Ok.'],
      {
        options: {
          prepareStep: ({ stepNumber, instructions }) => {
            seen.push(instructions);
            return stepNumber === 0 ? { instructions: 'B' } : {};
          },
        },
      },
    );
    expect(model.calls.map((call) => call.prompt[0]!.content)).toEqual(['B', 'B']);
    expect(seen[1]).toBe('B');
  });

  test('settings that the AI SDK refuses are named before the run starts', async () => {
    const refused = runPrompt(sayHi, { model: scriptedModel(['Ok.']), options: { maxOutputTokens: -1 } });
    expect(await codeOf(refused)).toBe('invalid_options');
  });

  test('plugins define before the prompt does', async () => {
    const house = definePlugin({ name: 'house', setup: (prompt) => prompt.defSystem('style', 'Be brief.') });
    const { model } = await play(
      go((prompt) => prompt.defSystem('role', 'Helper.')),
      ['Ok.'],
      { options: { plugins: [house], systemFormat: 'xml' } },
    );
    expect(model.calls[0]!.prompt[0]).toMatchObject({
      content: '<style>Be brief.</style>\n<role>Helper.</role>',
    });
  });

  test('a tool of options that clashes with one of the prompt is refused', async () => {
    const clash = runPrompt(
      go((prompt) => prompt.defTool('t', '', z.object({}), () => 1)),
      { model: scriptedModel([]), options: { tools: { t: { inputSchema: z.object({}) } } } },
    );
    expect(await codeOf(clash)).toBe('invalid_definition');
  });
});

describe('a run ends once, in a named way', () => {
  test('stopped while it streams: nothing follows, and the tools are aborted', async () => {
    let aborted = false;
    const model = scriptedModel([[{ toolCall: { name: 'wait' } }], 'Never.']);
    const { run, result } = await runPrompt(
      go((prompt) =>
        prompt.defTool('wait', '', z.object({}), (_args, { abortSignal }) => {
          setTimeout(() => run.stop(), 5);
          return new Promise((_resolve, reject) => {
            abortSignal?.addEventListener('abort', () => {
              aborted = true;
              reject(new Error('aborted'));
            });
          });
        }),
      ),
      { model },
    );
    const state = await run.finished;
    expect(state.status).toBe('stopped');
    expect(aborted).toBe(true);
    expect(state.toolCalls[0]!.state).toBe('interrupted');
    const length = run.log().length;
    await after(30);
    expect(run.log()).toHaveLength(length);
    expect(types(run.log()).filter((type) => type === 'run-end')).toHaveLength(1);
    await expect(Promise.resolve(result.text)).rejects.toThrow();
    run.stop();
    expect(run.log()).toHaveLength(length);
  });

  test('the caller’s abort signal, before and during', async () => {
    const during = new AbortController();
    const model = scriptedModel([[{ text: 'abcdef', chunkSize: 1 }, { delay: 5_000 }]]);
    const { run } = await runPrompt(sayHi, { model, options: { abortSignal: during.signal } });
    run.listen((event) => {
      if (event.type === 'text-delta' && event.text === 'c') during.abort();
    });
    expect(await run.finished).toMatchObject({ status: 'stopped', text: 'abc' });

    const before = await runPrompt(sayHi, { model, options: { abortSignal: AbortSignal.abort() } });
    expect(await before.run.finished).toMatchObject({ status: 'stopped', text: '' });
    expect(types(before.run.log())).toEqual(['run-start', 'run-end']);
  });

  test('an error of the provider ends the run, and every promise of result has it', async () => {
    const { result, state, events } = await play(
      sayHi,
      [[{ throw: { message: 'Incorrect API key provided: sk-abcdefghijklmnopqrstuvwx', status: 401 } }]],
      { options: { maxRetries: 0 } },
    );

    expect(state).toMatchObject({ status: 'error', error: { code: 'auth', details: { statusCode: 401 } } });
    expect(JSON.stringify(events)).not.toContain('sk-abcdef');
    for (const promise of [result.text, result.usage, result.steps, result.finishReason]) {
      expect(await codeOf(promise)).toBe('auth');
    }
  });

  test('an error in the middle keeps what had come', async () => {
    const { result, state, events } = await play(sayHi, [['Half a ', { error: { message: 'overheated' } }]]);
    expect(state).toMatchObject({ status: 'error', text: 'Half a ' });
    expect(state.error?.message).toContain('overheated');
    expect(await codeOf(result.text)).toBe('provider_error');
    expect(types(events).filter((type) => type === 'run-end')).toHaveLength(1);
  });

  test('an error after a tool has run does not start another step', async () => {
    const { model, state } = await play(
      go((prompt) => prompt.defTool('t', '', z.object({}), () => 1)),
      [[{ toolCall: { name: 't' } }, { error: 'cut' }], 'Never.'],
    );
    expect(state.status).toBe('error');
    expect(model.calls).toHaveLength(1);
  });

  test('a failure of a later step rejects result instead of returning an empty answer', async () => {
    const { result, state } = await play(
      go((prompt) => prompt.defTool('t', '', z.object({}), () => 1)),
      [[{ toolCall: { name: 't' } }], [{ throw: { message: 'no', status: 400 } }]],
    );
    expect(state).toMatchObject({ status: 'error', error: { code: 'bad_request' } });
    expect(await codeOf(result.text)).toBe('bad_request');
    expect(await codeOf(result.usage)).toBe('bad_request');
  });

  test('an answer that broke off rejects result too', async () => {
    const { result, state } = await play(sayHi, [['Half', { finish: { reason: 'interrupted' } }]]);
    expect(state).toMatchObject({
      status: 'error',
      error: { code: 'stream_truncated' },
      text: 'Half',
    });
    expect(await codeOf(result.text)).toBe('stream_truncated');
  });

  test('a stream that is tried again: the answer is that of the last attempt', async () => {
    const { result, events, state } = await play(
      sayHi,
      [['partial ', { error: { message: 'reset' } }], 'done'],
      {
        options: { streamRetries: 1 },
      },
    );
    expect(await result.text).toBe('done');
    expect(state).toMatchObject({ status: 'done', text: 'done' });
    expect(types(events)).toContain('retry');
  });

  test('a tool that does not listen to a time limit does not hold up the run', async () => {
    const { state } = await play(
      go((prompt) => prompt.defTool('deaf', '', z.object({}), () => new Promise(() => {}))),
      [[{ toolCall: { name: 'deaf' } }], 'Went on.'],
      { options: { timeout: { toolMs: 30 } } },
    );
    expect(state).toMatchObject({ status: 'done', text: 'Went on.' });
    expect(state.toolCalls[0]!.state).toBe('output-error');
  });

  test('a transform that keeps the end of the stream to itself does not keep the run from ending', async () => {
    const { state } = await play(sayHi, ['Ok.'], {
      options: {
        experimental_transform: () =>
          new TransformStream({
            transform(part: TextStreamPart<ToolSet>, controller) {
              if (part.type !== 'finish') controller.enqueue(part);
            },
          }),
      },
    });
    expect(state).toMatchObject({ status: 'done', text: 'Ok.' });
  });

  test('a signal that outlives many runs is let go of, and its reason is passed on', async () => {
    const controller = new AbortController();
    const options = { abortSignal: controller.signal };
    for (let index = 0; index < 3; index++) await play(sayHi, ['Ok.'], { options });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);

    const reasons: unknown[] = [];
    const { run } = await runPrompt(sayHi, {
      model: scriptedModel([[{ text: 'a' }, { delay: 5_000 }]]),
      options: { ...options, onAbort: ({ reason }) => void reasons.push(reason) },
    });
    const reason = new Error('the page was left');
    run.listen((event) => {
      if (event.type === 'text-delta') controller.abort(reason);
    });
    expect((await run.finished).status).toBe('stopped');
    await after(5);
    expect(reasons).toEqual([reason]);
  });

  test('a run that waits for the approval of a call at the provider has interrupted nothing', async () => {
    const { state } = await play((prompt) => prompt.$`Go.`, [[{ toolCall: { name: 'pay' } }]], {
      options: {
        tools: { pay: { ...aiTool({ inputSchema: z.object({}) }), isProviderExecuted: true } as never },
        toolApproval: { pay: 'user-approval' },
      },
    });
    expect(state.status).toBe('waiting');
    expect(state.toolCalls[0]!.state).toBe('input-available');
  });

  test('a prepareStep that throws', async () => {
    const { result, state } = await play(sayHi, ['Ok.'], {
      options: {
        prepareStep: () => {
          throw new Error('oops');
        },
      },
    });
    expect(state).toMatchObject({ status: 'error', error: { code: 'script_error' } });
    expect(await codeOf(result.text)).toBe('script_error');
  });

  test('a time limit is an error, not a stop', async () => {
    const { state } = await play(sayHi, [[{ text: 'a' }, { delay: 5_000 }]], {
      options: { timeout: { totalMs: 40 } },
    });
    expect(state).toMatchObject({ status: 'error', error: { code: 'timeout' } });
  });

  test('a retried call is not an error', async () => {
    const { state } = await play(sayHi, [
      [{ throw: { message: 'busy', status: 503, headers: { 'retry-after-ms': '1' } } }],
      'Now.',
    ]);
    expect(state).toMatchObject({ status: 'done', text: 'Now.' });
  });

  test('callbacks that throw do not break the log', async () => {
    const fail = () => {
      throw new Error('not my day');
    };
    const { state } = await play(sayHi, ['Ok.'], {
      options: { onChunk: fail, onStepEnd: fail, onEnd: fail, onStepStart: fail },
    });
    expect(state.status).toBe('done');
  });

  test('nothing is printed', async () => {
    const spies = (['error', 'warn', 'log'] as const).map((name) => vi.spyOn(console, name));
    await play(sayHi, [['Half', { error: 'x' }]]);
    for (const spy of spies) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });
});

describe('mistakes throw before anything is sent', () => {
  test.each<[string, () => Promise<unknown>, string]>([
    ['no model', () => runPrompt(sayHi, {}), 'invalid_options'],
    ['an unknown provider', () => runPrompt(sayHi, { model: 'nobody:x', env: {} }), 'unknown_model'],
    ['a missing key', () => runPrompt(sayHi, { model: 'openai:gpt-4o', env: {} }), 'missing_key'],
    ['no message', () => runPrompt(() => {}, { model: scriptedModel([]) }), 'invalid_definition'],
    ['no function', () => runPrompt('hello' as never, { model: scriptedModel([]) }), 'invalid_definition'],
    ['a definition without a name', async () => definePrompt('', sayHi), 'invalid_definition'],
  ])('%s', async (_name, act, code) => {
    expect(await codeOf(act())).toBe(code);
  });

  test('in an executor they are a run that ends with the error', async () => {
    const events: RunEvent[] = [];
    const definition = definePrompt('broken', () => {
      throw new TypeError('x is not a function');
    });
    const request = { definition, input: undefined, model: scriptedModel([]) };
    for await (const event of inProcess().start(request, new AbortController().signal)) events.push(event);
    expect(types(events)).toEqual(['run-start', 'run-end']);
    expect(events[1]).toMatchObject({ outcome: 'error', error: { code: 'script_error' } });
  });
});

test('a key that a server echoes is in no event', async () => {
  const key = 'plain-words-that-look-like-no-key';
  const body = JSON.stringify({ error: { message: `The key ${key} is wrong.` } });
  const { run } = await runPrompt(sayHi, {
    model: 'local:any',
    env: { LOCAL_API_KEY: key, LOCAL_API_BASE: 'http://localhost:1/v1', LOCAL_API_TYPE: 'openai' },
    fetch: () =>
      Promise.resolve(new Response(body, { status: 401, headers: { 'content-type': 'application/json' } })),
  });
  expect(await run.finished).toMatchObject({ status: 'error', error: { code: 'auth' } });
  expect(JSON.stringify(run.log())).not.toContain(key);
  expect(JSON.stringify(run.log())).toContain('is wrong');
});
