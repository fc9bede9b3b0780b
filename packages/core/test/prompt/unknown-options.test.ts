import { createRun, CuelineError, definePrompt, dryRun, runPrompt, tool } from '@cueline/core';
import { defineAgent, runAgentSession, type Agent } from '@cueline/core/agents';
import { Prompt, scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { go } from '../support.ts';
import { refusalOf } from '../support/refusal.ts';

const none = z.object({});
const part = tool('read', 'Reads', none, () => 'text');

/** The error of a run that does not start: its code and its message. */
async function refusal(
  config: unknown,
  define: (prompt: Prompt) => void | Promise<void> = (prompt) => prompt.$`Go.`,
): Promise<string> {
  const model = scriptedModel([]);
  const error: unknown = await runPrompt(define, { model, ...(config as object) }).catch(
    (thrown: unknown) => thrown,
  );
  expect(model.calls).toHaveLength(0);
  if (CuelineError.isInstance(error)) return `${error.code}: ${error.message}`;
  throw error;
}

describe('Unknown options', () => {
  test.each<[object, string]>([
    [{ options: { temprature: 1 } }, 'options has no "temprature". Did you mean temperature?'],
    [{ options: { onstepend: () => {} } }, 'options has no "onstepend". Did you mean onStepEnd?'],
    [
      { options: { model: 'openai:gpt-4o' } },
      'model is not one of the options. Write runPrompt(…, { model: …, options: { … } }).',
    ],
    [{ options: 'fast' }, "options takes an object, but got 'fast'. Write { … }."],
    [{ temperature: 1 }, 'temperature is an option: runPrompt(…, { options: { temperature: … } }).'],
    [{ option: {} }, 'runPrompt has no "option". Did you mean options?'],
  ])('of a run are refused: %o', async (config, message) => {
    expect(await refusal(config)).toBe(`invalid_options: ${message}`);
  });

  test('of a run are refused before its model is looked up, and a run may leave its config out', async () => {
    const run = runPrompt as (...given: unknown[]) => ReturnType<typeof runPrompt>;
    const go = (prompt: Prompt): void => prompt.$`Go.`;
    await expect(run(go, { modle: 'openai:gpt-4o' })).rejects.toThrow(
      'runPrompt has no "modle". Did you mean model?',
    );
    await expect(run(go, null)).rejects.toThrow('runPrompt takes an object, but got null.');
    await expect(run(go)).rejects.toMatchObject({ code: 'invalid_options' });
    const named = definePrompt('go', go, { model: scriptedModel(['Gone.']) });
    expect((await (await run(named)).run.finished).text).toBe('Gone.');
  });

  test.each<[object, string]>([
    [{ maxSteps: 5 }, 'It is now stopWhen: { stopWhen: isStepCount(5) }.'],
    [{ maxTokens: 5 }, 'It is now maxOutputTokens: { maxOutputTokens: 1000 }.'],
    [{ max_tokens: 5 }, 'It is now maxOutputTokens: { maxOutputTokens: 1000 }.'],
    [{ experimental_output: {} }, 'It is now output: { output: … }.'],
    [{ experimental_activeTools: [] }, 'It is now activeTools: { activeTools: … }.'],
    [
      { experimental_providerMetadata: {} },
      'It is now providerOptions: { providerOptions: { openai: { … } } }.',
    ],
    [{ toolCallStreaming: true }, 'Tool calls are always streamed. Leave it out.'],
    [{ experimental_toolCallStreaming: true }, 'Tool calls are always streamed. Leave it out.'],
    [{ experimental_continueSteps: true }, 'The AI SDK has removed it. Leave it out.'],
    [{ parallelToolCalls: false }, 'It is now providerOptions: { providerOptions: { openai: { … } } }.'],
    [{ functions: [] }, 'It is now tools: { tools: { … } }.'],
    [{ responseSchema: {} }, 'It is now output: { output: Output.object({ schema }) }.'],
    [{ experimental_thinking: true }, "It is now reasoning: { reasoning: 'medium' }."],
    [{ experimental_dowload: () => {} }, 'Did you mean experimental_download?'],
  ])('of a run are refused with the new or correct name: %o', async (options, hint) => {
    const [name] = Object.keys(options);
    expect(await refusal({ options })).toBe(`invalid_options: options has no "${name}". ${hint}`);
  });

  test.each<[object, string]>([
    [
      { maxTokens: 5 },
      'maxTokens is now maxOutputTokens, which is an option: runPrompt(…, { options: { maxOutputTokens: … } }).',
    ],
    [{ options: { limits: { maxSteps: 5 } } }, 'options.limits has no "maxSteps". Did you mean steps?'],
  ])('of a run are refused with their right place: %o', async (config, message) => {
    expect(await refusal(config)).toBe(`invalid_options: ${message}`);
  });

  test('of a run that resemble no option list all options', async () => {
    expect(await refusal({ options: { experimental_foo: 1 } })).toMatch(/"experimental_foo"\. There are: /);
    expect(await refusal({ options: { shape: 'round' } })).toMatch(
      /^invalid_options: options has no "shape"\. There are: .*abortSignal, /,
    );
  });

  test('of a dry run are refused', async () => {
    const config = { options: { maxTokens: 5 } } as object;
    await expect(dryRun((prompt) => prompt.$`Hi.`, config)).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('maxOutputTokens') as string,
    });
  });

  test.each<[object, string]>([
    [{ options: { maxTokens: 5 } }, 'It is now maxOutputTokens'],
    [
      { maxTokens: 5 },
      'maxTokens is now maxOutputTokens, which is an option: { options: { maxOutputTokens: … } }.',
    ],
    [{ temperature: 1 }, 'temperature is an option: { options: { temperature: … } }.'],
    [{ modell: 'fast' }, 'The run of "greet" has no "modell". Did you mean model?'],
    [{ watch: ['text'] }, 'The run of "greet" has no "watch".'],
  ])('of createRun are refused: %o', async (options, message) => {
    const model = scriptedModel([]);
    const greet = definePrompt('greet', (prompt) => prompt.$`Hi.`);
    const run = createRun(greet, { model, ...options });
    await run.start().catch(() => {});
    const { error } = run.getState();
    expect(error).toMatchObject({ code: 'invalid_options' });
    expect(error?.message).toContain(message);
    expect(model.calls).toHaveLength(0);
  });

  test('of an app, which it has added to a definition, are left alone', async () => {
    const greet = { ...definePrompt('greet', (prompt) => prompt.$`Hi.`), title: 'Greet', icon: '👋' };
    const { result } = await runPrompt(greet, { model: scriptedModel(['Hello.']) });
    expect(await result.text).toBe('Hello.');
  });

  test.each<[object, string]>([
    [{ outputs: none }, 'The definition of prompt "greet" has no "outputs". Did you mean output?'],
    [{ temperature: 1 }, 'temperature is an option: { options: { temperature: … } }.'],
  ])('of definePrompt are refused when a run starts: %o', async (settings, message) => {
    const model = scriptedModel([]);
    const define = definePrompt as (...given: unknown[]) => ReturnType<typeof definePrompt>;
    const greet = define('greet', (prompt: Prompt) => prompt.$`Hi.`, settings);
    const expected = { code: 'invalid_definition', message };
    await expect(runPrompt(greet, { model })).rejects.toMatchObject(expected);
    await expect(dryRun(greet)).rejects.toMatchObject(expected);
    expect(model.calls).toHaveLength(0);
  });

  test.each<[object, string]>([
    [{ maxSteps: 5 }, 'The session has no "maxSteps". It is now maxTurns: { maxTurns: 5 }.'],
    [{ system: 'You talk.' }, 'It is now systemPrompt'],
    [{ messages: [] }, 'It is now initialMessages'],
    [
      { maxTokens: 5 },
      'maxTokens is now maxOutputTokens, which is an option: runAgentSession(model, { options:',
    ],
    [
      { temperature: 1 },
      'temperature is an option: runAgentSession(model, { options: { temperature: … } }).',
    ],
    [{ options: { maxTokens: 5 } }, 'options of the session has no "maxTokens". It is now maxOutputTokens'],
    [{ options: { maxTurns: 5 } }, 'maxTurns is a setting of the session itself, not one of its options.'],
  ])('of a session are refused: %o', async (options, message) => {
    const model = scriptedModel([]);
    const { error } = await runAgentSession(model, { systemPrompt: 'You work.', ...options });
    expect(error).toMatchObject({ code: 'invalid_options' });
    expect(error?.message).toContain(message);
    expect(model.calls).toHaveLength(0);
  });

  test.each<[object, string]>([
    [
      { maxTokens: 5 },
      'maxTokens is now maxOutputTokens, which is an option: defineAgent({ options: { maxOutputTokens',
    ],
    [{ temperature: 1 }, 'temperature is an option: defineAgent({ options: { temperature: … } }).'],
    [{ options: { maxSteps: 5 } }, 'options of agent "it" has no "maxSteps". It is now stopWhen'],
    [{ system: 'You talk.' }, 'system is an option'],
  ])('of an agent’s config are refused: %o', async (options, message) => {
    const agent = defineAgent({ name: 'it', instructions: 'Talk.', ...options });
    await expect(agent.call('Hi.', { model: scriptedModel([]) })).rejects.toMatchObject({
      code: 'invalid_definition',
      message: expect.stringContaining(message) as string,
    });
  });

  test.each<[string, (agent: Agent<string>) => Promise<unknown>, string]>([
    ['an agent call', (agent) => agent.call('Hi.', { abortSignal: 1 } as object), 'It is now signal'],
    [
      'classify',
      (agent) => agent.classify('Hi.', ['a', 'b'], { temprature: 1 } as object),
      'classify has no "temprature"',
    ],
  ])('of %s are refused', async (_what, call, message) => {
    const agent = defineAgent({ name: 'it', instructions: 'Talk.', model: scriptedModel([]) });
    await expect(call(agent)).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining(message) as string,
    });
  });

  test('beside the options of a run that resemble no option list all options', async () => {
    expect(await refusal({ shape: 'round' })).toMatch(
      /^invalid_options: runPrompt has no "shape"\. There are: env, fetch, input, messages, model, options, /,
    );
  });

  test.each<[unknown, string]>([
    [
      { limits: { steps: 1 } },
      'Agent a cannot have limits. limits belong to the run: runPrompt(…, { options: { limits } }).',
    ],
    [
      { approval: true },
      'Agent a cannot have approval. approval belongs to the run: runPrompt(…, { options: { approval } }).',
    ],
    [
      { messages: [] },
      'Agent a cannot have messages. Its function defines its messages: prompt.defMessage(…).',
    ],
    [
      { abortSignal: AbortSignal.abort() },
      'Agent a cannot have abortSignal. An agent stops with its run. To limit the time of the agent, use timeoutMs.',
    ],
    [{ output: {} }, 'Agent a cannot have output. Describe its answer with responseSchema.'],
    [{ responceSchema: none }, 'Agent a has no "responceSchema". Did you mean responseSchema?'],
    [{ temprature: 1 }, 'Agent a has no "temprature". Did you mean temperature?'],
    [{ maxSteps: 3 }, 'Agent a has no "maxSteps". It is now stopWhen: { stopWhen: isStepCount(5) }.'],
    [null, 'Agent a takes an object, but got null. Write { … }.'],
  ])('of an agent are refused: %o', (options, message) => {
    expect(refusalOf(() => new Prompt().defAgent('a', 'An agent', none, () => {}, options as never))).toBe(
      `invalid_definition: ${message}`,
    );
  });

  test('without a value are ignored', async () => {
    const { run } = await runPrompt((prompt) => prompt.$`Go.`, {
      model: scriptedModel(['Done.']),
      options: { temprature: undefined } as never,
    });
    await run.finished;
    expect(run.getState().status).toBe('done');
  });
});

test.each<[object, string]>([
  [{ options: { plugins: {} } }, 'plugins takes a list. Write plugins: [memory].'],
  [
    { options: { tools: [part] } },
    'options.tools takes the AI SDK’s tools by name: tools: { search: … }. Define your own with prompt.defTool.',
  ],
  [
    { options: { tools: null } },
    'options.tools takes the AI SDK’s tools by name: tools: { search: … }. Define your own with prompt.defTool.',
  ],
  [
    { options: { tools: { read: part } } },
    "tools.read is not one of the AI SDK’s tools. Write prompt.defTool('read', 'what it does', z.object({ … }), async (args) => …).",
  ],
])('A run refuses %o', async (config, message) => {
  expect(await refusal(config)).toBe(`invalid_options: ${message}`);
});

test('Options that are null count as none', async () => {
  const { run } = await runPrompt((prompt) => prompt.$`Go.`, {
    model: scriptedModel(['Done.']),
    options: null as never,
  });
  await run.finished;
  expect(run.getState().status).toBe('done');
});

test('Methods may be destructured from the prompt', async () => {
  const { run } = await runPrompt(
    // under another name, since knip takes $ before a template for a shell
    ({ $: say, def, defTaskList }) => {
      say`Hello, ${def('NAME', 'Ada')}.`;
      defTaskList([{ task: 'Greet', extend: ({ defSystem }) => defSystem('role', 'Host') }]);
    },
    { model: scriptedModel([[{ toolCall: { name: 'finishTask', input: { result: 'x' } } }], 'Done.']) },
  );
  await run.finished;
  expect(run.getState()).toMatchObject({ status: 'done', variables: { NAME: { value: 'Ada' } } });
  expect(run.getState().steps.map(({ request }) => request.instructions?.includes('Host'))).toEqual([
    true,
    false,
  ]);
});

test('A method that is replaced on a prompt is replaced in its tasks', async () => {
  const defined: string[] = [];
  const { run } = await runPrompt(
    go((prompt) => {
      const defTool = prompt.defTool.bind(prompt) as (...args: unknown[]) => void;
      Object.assign(prompt, {
        defTool(...args: unknown[]) {
          defined.push(args[0] as string);
          defTool(...args);
        },
      });
      prompt.defTool('one', '', none, () => 1);
      prompt.defTaskList([{ task: 'A', extend: (own) => own.defTool('two', '', none, () => 2) }]);
    }),
    { model: scriptedModel([[{ toolCall: { name: 'finishTask', input: { result: 'x' } } }], 'Done.']) },
  );
  await run.finished;
  expect(run.getState().status).toBe('done');
  expect(defined).toEqual(['one', 'two']);
});
