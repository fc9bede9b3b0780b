import {
  CuelineError,
  definePlugin,
  definePrompt,
  dryRun,
  runPrompt,
  tool,
  type Prompt,
  type PromptOptions,
} from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { isStepCount, type UIMessage } from 'ai';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { call, json, play } from '../support.ts';

const city = z.object({ city: z.string() });
const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } };
const sayHi = (prompt: Prompt) => prompt.$`Hi.`;

type Case = {
  define: (prompt: Prompt) => void;
  options?: PromptOptions;
  messages?: UIMessage[];
};

const prompts: Record<string, Case> = {
  'a message alone': { define: sayHi },
  'variables, and options.system': {
    define(prompt) {
      const user = prompt.def('USER_NAME', 'Ada');
      prompt.defData('USER', { age: 36, likes: ['sums', 'engines'] });
      prompt.defSystem('role', 'You help.');
      prompt.$`Greet ${user}.`;
    },
    options: { system: 'Be short.', instructions: 'Be kind.' },
  },
  'named parts as XML': {
    define(prompt) {
      prompt.defSystem('role', 'You help.');
      prompt.defSystem('style', 'Be short.\nBe kind.');
      prompt.$`Hi.`;
    },
    options: { systemFormat: 'xml' },
  },
  'several system messages with provider options': {
    define(prompt) {
      prompt.def('USER_NAME', 'Ada');
      prompt.defSystem('handbook', 'A long text.', { providerOptions: cached });
      prompt.defSystem('role', 'You help.');
      prompt.$`Hi.`;
    },
    options: {
      instructions: [
        { role: 'system', content: 'Be short.' },
        { role: 'system', content: 'Be kind.', providerOptions: cached },
      ],
    },
  },
  'tools of every kind': {
    define(prompt) {
      prompt.defTool('getWeather', 'Weather', city, () => 'Sunny', {
        providerOptions: { openai: { strict: true } },
      });
      prompt.defTool('file', 'Files', [
        tool('read', 'Reads', z.object({ path: z.string() }), () => ''),
        tool('write', 'Writes', z.object({ path: z.string(), text: z.string().optional() }), () => ''),
      ]);
      prompt.defAgent('researcher', 'Researches', z.object({ topic: z.string() }), (_, own) => own.$`Hi.`);
      prompt.$`Hi.`;
    },
    options: {
      tools: { now: { description: 'The time', inputSchema: z.object({}), execute: () => 0 } },
      toolOrder: ['researcher', 'now'],
      toolChoice: 'required',
      activeTools: ['getWeather', 'researcher', 'now', 'file'],
    },
  },
  'call settings': {
    define: sayHi,
    options: {
      temperature: 0.3,
      maxOutputTokens: 50,
      topP: 0.5,
      stopSequences: ['END'],
      seed: 7,
      providerOptions: cached,
      headers: { 'x-test': '1' },
    },
  },
  'hooks, of which each sees what the one before has done': {
    define(prompt) {
      prompt.def('MOOD', 'calm');
      prompt.defTool('getWeather', 'Weather', city, () => 'Sunny');
      prompt.defTool('getTime', 'Time', city, () => 'Noon');
      prompt.$`Hi.`;
      prompt.defHook(async ({ stepNumber, messages }) => ({
        variables: { MOOD: { type: 'string', value: `glad ${stepNumber}` } },
        activeTools: ['getTime', 'nothing'],
        messages: [...messages, { role: 'user', content: 'Answer at once.' }],
        temperature: 0.9,
      }));
      prompt.defHook(({ system, activeTools }) => ({
        system: `${typeof system}\nTools: ${activeTools.join()}`,
        toolChoice: 'none',
      }));
    },
  },
  'a task list, with what its first task defines': {
    define(prompt) {
      prompt.defSystem('role', 'You count.');
      prompt.defTaskList([
        {
          task: 'Add 5 and 3',
          extend(own, messages) {
            own.def('NUMBERS', `5 and 3, after ${messages.length}`);
            own.defSystem('role', 'You add.');
            own.defTool('add', 'Adds', z.object({ a: z.number() }), () => 8);
            own.defMessage('user', 'Take your time.');
          },
        },
        { task: 'Double it' },
      ]);
      prompt.$`Work.`;
    },
  },
  'a task list of the model': {
    define(prompt) {
      prompt.defDynamicTaskList();
      prompt.$`Plan.`;
    },
  },
  'a prepareStep of the caller': {
    define(prompt) {
      prompt.defTool('getWeather', 'Weather', city, () => 'Sunny');
      prompt.$`Hi.`;
    },
    options: {
      prepareStep: ({ instructions, messages }) => ({
        instructions: `${typeof instructions === 'string' ? instructions : 'None'}, and more.`,
        messages: [...messages, { role: 'user', content: 'Now.' }],
        activeTools: [],
        topK: 4,
      }),
    },
  },
  'messages of many parts, and earlier turns': {
    define(prompt) {
      prompt.defMessage('user', [
        { type: 'text', text: 'What is this?' },
        { type: 'image', image: 'https://example.com/cat.png' },
        { type: 'file', data: new TextEncoder().encode('a,b'), mediaType: 'text/csv', filename: 'a.csv' },
      ]);
      prompt.defMessage('assistant', [
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { near: true } },
      ]);
      prompt.defMessage('tool', [
        { type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: { cat: 1 } },
      ]);
      prompt.$`Look again: ${new Blob(['x,y'], { type: 'text/csv' })}`;
    },
    options: { messages: [{ role: 'assistant', content: 'A cat.' }] },
    messages: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'And now?' }] }],
  },
};

/** What the steps of a real run sent. */
async function requestsOf({ define, options, messages }: Case, turns: readonly ScriptedTurn[]) {
  const model = scriptedModel(turns);
  const { run } = await runPrompt(define, {
    model,
    ...(options === undefined ? {} : { options }),
    ...(messages === undefined ? {} : { messages }),
  });
  const { steps, warnings } = await run.finished;
  return { requests: steps.map(({ request }) => ({ ...request })), warnings };
}

async function errorOf(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await promise;
  } catch (error) {
    if (CuelineError.isInstance(error)) return { code: error.code, message: error.message };
  }
  throw new Error('There was no error of ours.');
}

afterEach(() => void vi.unstubAllGlobals());

describe('dryRun returns the request that a run begins with', () => {
  test.for(Object.entries(prompts))('%s', async ([, given]) => {
    const { requests, warnings } = await requestsOf(given, ['Done.', 'Done.', 'Done.', 'Done.']);
    const model = scriptedModel([]);
    const { define, ...config } = given;
    const dry = await dryRun(define, { ...config, model });
    expect(dry.request).toEqual(requests[0]);
    expect(dry.warnings).toEqual(warnings);
    expect(model.calls).toEqual([]);
    // it is what the log has, so it can be stored
    expect(json(dry)).toEqual(dry);
  });

  test('also of a definition with an input, a model and a plugin', async () => {
    const glossary = definePlugin({
      name: 'glossary',
      setup: (prompt) => ({ defTerm: (term: string, is: string) => prompt.defSystem(term, is) }),
    });
    const explainTerm = definePrompt(
      'explain-term',
      (prompt, input: { term: string }) => {
        prompt.defTerm(input.term, 'a kind of tea');
        prompt.$`What is ${input.term}?`;
      },
      { model: 'openai:gpt-4o', plugins: [glossary] },
    );
    expect(await dryRun(explainTerm, { input: { term: 'Rooibos' } })).toEqual({
      request: {
        model: 'openai:gpt-4o',
        instructions: 'Rooibos:\na kind of tea',
        messages: [{ role: 'user', content: 'What is Rooibos?' }],
        tools: [],
        settings: {},
      },
      tokens: {
        total: 10,
        parts: [
          { kind: 'system', name: 'Rooibos', tokens: 6 },
          { kind: 'message', name: 'messages[0]', tokens: 4 },
        ],
      },
      warnings: [],
    });
  });
});

describe('a later step', () => {
  const define = (prompt: Prompt): void => {
    prompt.def('MOOD', 'calm');
    prompt.defTool('wait', 'Waits', z.object({}), () => 'ok', { repeatable: true });
    prompt.$`Hi.`;
    let seen = '';
    prompt.defHook(({ stepNumber, variables }) => {
      seen += `${stepNumber},`;
      if (stepNumber === 1) return { temperature: 0.1, variables: { MOOD: { type: 'string', value: seen } } };
      return { temperature: Number(variables['MOOD']?.value === '0,1,') };
    });
  };
  const prepareStep: NonNullable<PromptOptions['prepareStep']> = ({ stepNumber, instructions }) =>
    stepNumber === 0
      ? {}
      : { instructions: `${typeof instructions === 'string' ? instructions : ''}\n${stepNumber}` };

  test.for([undefined, prepareStep])('is prepared after all steps before it', async (own) => {
    const options: PromptOptions = own === undefined ? {} : { prepareStep: own };
    const waits = [call('wait')];
    const { requests } = await requestsOf({ define, options }, [waits, waits, waits, 'Done.']);
    expect(requests.map(({ settings }) => settings['temperature'])).toEqual([0, 0.1, 1, 1]);
    for (const [step, real] of requests.entries()) {
      const { request } = await dryRun(define, { options, step, model: 'simulated:scripted' });
      // nobody has answered
      expect(request).toEqual({ ...real, messages: [{ role: 'user', content: 'Hi.' }] });
    }
  });

  test('keeps the messages that a prepareStep has put in the place of all', async () => {
    const options: PromptOptions = {
      prepareStep: ({ messages, stepNumber }) =>
        stepNumber < 2 ? { messages: [...messages, { role: 'user', content: `${stepNumber}` }] } : undefined,
    };
    const { request } = await dryRun(sayHi, { options, step: 3 });
    expect(request.messages.map(({ content }) => content)).toEqual(['Hi.', '0', '1']);
  });

  test('is of the first task, whose extend runs once', async () => {
    const extend = vi.fn((own: Prompt) => void own.def('A', 'a'));
    const { request, tokens } = await dryRun(
      (prompt) => {
        prompt.defTaskList([{ task: 'One', extend }, { task: 'Two' }]);
        prompt.$`Work.`;
      },
      { step: 4 },
    );
    expect(extend).toHaveBeenCalledTimes(1);
    expect(request.messages[1]?.content).toMatch(/^\[Task 1\/2\] One/);
    expect(tokens.parts[0]).toEqual({ kind: 'variable', name: 'A', tokens: 2 });
  });

  test('beyond the limit of steps is a step that no run reaches', async () => {
    const error = await errorOf(dryRun(sayHi, { step: 50 }));
    expect(error.code).toBe('budget_exceeded');
    expect((await dryRun(sayHi, { step: 50, options: { stopWhen: isStepCount(60) } })).warnings).toEqual([]);
  });

  test.for([-1, 0.5, Number.NaN, '1' as unknown as number])('that is not a step: %s', async (step) => {
    expect(await errorOf(dryRun(sayHi, { step }))).toEqual({
      code: 'invalid_options',
      message: `dryRun was asked for step ${step}. Steps are counted from 0: dryRun(prompt, { step: 1 }) is the second one.`,
    });
  });
});

describe('a dry run does nothing but compile', () => {
  test('a model is named, and not looked up', async () => {
    const modelOf = async (model: string, options: PromptOptions = {}): Promise<string> =>
      (await dryRun(sayHi, { model, options, env: {} })).request.model;
    expect(await modelOf('openai:gpt-4o')).toBe('openai:gpt-4o');
    expect(await modelOf('nobody:has:this')).toBe('nobody:has:this');
    expect(await modelOf('fast')).toBe('fast');
    expect(await modelOf('fast', { prepareStep: () => ({ model: 'mistral:small' }) })).toBe('mistral:small');
    expect((await dryRun(sayHi)).request.model).toBe('');
  });

  test('nothing is fetched, and no callback is called', async () => {
    const fetch = vi.fn();
    vi.stubGlobal('fetch', fetch);
    const heard = vi.fn();
    const names = ['onStart', 'onStepStart', 'onChunk', 'onStepEnd', 'onStepFinish', 'onStepError'];
    const callbacks = Object.fromEntries(
      [...names, 'onEnd', 'onFinish', 'onError', 'onAbort', 'experimental_onStart'].map((name) => [
        name,
        heard,
      ]),
    );
    await dryRun(prompts['messages of many parts, and earlier turns']!.define, { options: callbacks });
    await errorOf(
      dryRun(
        (prompt) => {
          prompt.defHook(() => {
            throw new Error('no');
          });
          prompt.$`Hi.`;
        },
        { options: callbacks },
      ),
    );
    expect(fetch).not.toHaveBeenCalled();
    expect(heard).not.toHaveBeenCalled();
  });

  test('a tool whose call the messages approve does not run', async () => {
    const pay = vi.fn();
    const error = await errorOf(
      dryRun(
        (prompt) => {
          prompt.defTool('pay', 'Pays', z.object({}), pay);
          prompt.$`Pay.`;
        },
        {
          options: {
            messages: [
              {
                role: 'assistant',
                content: [
                  { type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: {} },
                  { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' },
                ],
              },
              {
                role: 'tool',
                content: [{ type: 'tool-approval-response', approvalId: 'a1', approved: true }],
              },
            ],
          },
        },
      ),
    );
    expect(pay).not.toHaveBeenCalled();
    expect(error).toEqual({
      code: 'invalid_options',
      message:
        'The messages approve a tool call, which runs before the first step, and a dry run runs no tools. Leave the approval out, or put the result of the call into the messages.',
    });
  });

  test('a key does not show', async () => {
    const { request } = await dryRun((prompt) => prompt.$`My key is sk-very-secret-key.`, {
      env: { OPENAI_API_KEY: 'sk-very-secret-key' },
    });
    expect(JSON.stringify(request)).not.toContain('very-secret');
  });
});

describe('what is wrong is thrown as in a run', () => {
  const wrong: Record<string, Case> = {
    'no message': { define: () => {} },
    'two tools of one name': {
      define(prompt) {
        prompt.defTool('a', '', city, () => 1);
        prompt.defTool('a', '', city, () => 1);
      },
    },
    'a limit that is none': { define: sayHi, options: { limits: { steps: 0 } } },
    'an approval that is none': { define: sayHi, options: { approval: 'yes' as never } },
    'no plugin': { define: sayHi, options: { plugins: [{} as never] } },
    'no function': { define: 1 as never },
  };

  test.for(Object.entries(wrong))('%s', async ([, { define, options = {} }]) => {
    const model = scriptedModel([]);
    expect(await errorOf(dryRun(define, { options }))).toEqual(
      await errorOf(runPrompt(define, { model, options })),
    );
  });

  const failing: Record<string, Case> = {
    'a hook that throws': {
      define(prompt) {
        prompt.defHook(() => {
          throw new Error('no luck');
        });
        prompt.$`Hi.`;
      },
    },
    'a prepareStep that throws': {
      define: sayHi,
      options: {
        prepareStep() {
          throw new Error('no luck');
        },
      },
    },
    'an extend that throws': {
      define(prompt) {
        prompt.defTaskList([
          {
            task: 'One',
            extend() {
              throw new Error('no luck');
            },
          },
        ]);
        prompt.$`Hi.`;
      },
    },
  };

  test.for(Object.entries(failing))('%s', async ([, { define, options = {} }]) => {
    const { state } = await play(define, ['Done.'], { options });

    if (state.status !== 'error') throw new Error(`The run ended as ${state.status}.`);
    const { code, message } = state.error;
    expect(await errorOf(dryRun(define, { options }))).toEqual({ code, message });
    expect(message).toContain('no luck');
  });

  test('a model that is not a model', async () => {
    const model = { doStream() {} } as never;
    expect(await errorOf(dryRun(sayHi, { model }))).toEqual(await errorOf(runPrompt(sayHi, { model })));
  });

  test('a signal that aborts, or has', async () => {
    const stop = new AbortController();
    const define = (prompt: Prompt): void => {
      prompt.defHook(() => stop.abort());
      prompt.$`Hi.`;
    };
    const aborted = { code: 'aborted', message: 'The dry run was stopped.' };
    expect(await errorOf(dryRun(define, { options: { abortSignal: stop.signal } }))).toEqual(aborted);
    expect(await errorOf(dryRun(sayHi, { options: { abortSignal: stop.signal } }))).toEqual(aborted);
  });
});

test('the estimate names every definition, and adds up', async () => {
  const { request, tokens } = await dryRun(
    (prompt) => {
      prompt.def('USER_NAME', 'Ada');
      prompt.defSystem('role', 'You help.');
      prompt.defTool('getWeather', 'Weather', { type: 'object' }, () => 'Sunny');
      prompt.$`Help <USER_NAME>.`;
      prompt.defMessage('user', [
        { type: 'text', text: 'See' },
        { type: 'image', image: new Uint8Array(3_000).fill(1) },
      ]);
    },
    { options: { system: 'Be short.' } },
  );
  expect(request.instructions).toHaveLength(92 + 2 + 26 + 2 + 15 + 2 + 9);
  expect(tokens).toEqual({
    total: 7 + 4 + 27 + 5 + 1_001 + 9,
    parts: [
      { kind: 'variable', name: 'USER_NAME', tokens: 7 },
      { kind: 'system', name: 'role', tokens: 4 },
      { kind: 'instructions', name: 'instructions', tokens: 27 },
      { kind: 'message', name: 'messages[0]', tokens: 5 },
      { kind: 'message', name: 'messages[1]', tokens: 1_001 },
      { kind: 'tool', name: 'getWeather', tokens: 9 },
    ],
  });
});
