// What a script gets wrong is said where it stands, with what to write instead.
import { createRun, CuelineError, definePrompt, dryRun, runPrompt, tool } from '@cueline/core';
import { defineAgent, runAgentSession, type Agent } from '@cueline/core/agents';
import { Prompt, scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const none = z.object({});
const part = tool('read', 'Reads', none, () => 'text');

/** What is said of a mistake. */
function said(act: (prompt: Prompt) => unknown): string {
  try {
    act(new Prompt());
  } catch (error) {
    if (CuelineError.isInstance(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('did not throw');
}

describe('a composite tool’s own options', () => {
  test.each([
    'needsApproval',
    'effect',
    'beforeCall',
    'onSuccess',
    'onError',
    'providerOptions',
    'timeoutMS',
  ])('%s belongs to one of its parts', (name) => {
    expect(said((p) => p.defTool('file', 'Files', [part], { [name]: undefined } as never))).toBe(
      `invalid_definition: Tool file is composed of tools, so it cannot have ${name}, only repeatable, loopGuard and timeoutMs. Give ${name} to its parts: tool('read', '…', z.object({ … }), async (args) => …, { ${name}: … }).`,
    );
  });

  test.each<[string, unknown]>([
    ['a function', () => 1],
    ['null', null],
  ])('%s is none', (_what, options) => {
    expect(said((p) => p.defTool('file', 'Files', [part], options as never))).toBe(
      'invalid_definition: Tool file is composed of tools, so after them it takes only options, such as { timeoutMs: 5000 }.',
    );
  });

  test('repeatable and timeoutMs hold', () => {
    const prompt = new Prompt();
    prompt.defTool('file', 'Files', [part], { repeatable: true, timeoutMs: 5 });
    expect(prompt.definitions.tools.get('file')).toMatchObject({ rules: { repeatable: true, timeoutMs: 5 } });
  });
});

/** What is said of a run that does not even start. */
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

describe('unknown options', () => {
  test.each<[object, string]>([
    [{ options: { temprature: 1 } }, 'options has no "temprature". Did you mean temperature?'],
    [{ options: { onstepend: () => {} } }, 'options has no "onstepend". Did you mean onStepEnd?'],
    [
      { options: { model: 'openai:gpt-4o' } },
      'model is not one of the options. Write runPrompt(…, { model: …, options: { … } }).',
    ],
    [{ options: 'fast' }, "options takes an object, and got 'fast'. Write { … }, or leave it out."],
    [{ temperature: 1 }, 'temperature is an option: runPrompt(…, { options: { temperature: … } }).'],
    [{ option: {} }, 'runPrompt has no "option". Did you mean options?'],
  ])('of a run: %o', async (config, message) => {
    expect(await refusal(config)).toBe(`invalid_options: ${message}`);
  });

  test.each<[object, string]>([
    [
      { options: { maxSteps: 5 } },
      'options has no "maxSteps". It is now stopWhen: { stopWhen: isStepCount(5) }.',
    ],
    [
      { options: { maxTokens: 5 } },
      'options has no "maxTokens". It is now maxOutputTokens: { maxOutputTokens: 1000 }.',
    ],
    [
      { options: { max_tokens: 5 } },
      'options has no "max_tokens". It is now maxOutputTokens: { maxOutputTokens: 1000 }.',
    ],
    [
      { options: { experimental_output: {} } },
      'options has no "experimental_output". It is now output: { output: … }.',
    ],
    [
      { options: { experimental_activeTools: [] } },
      'options has no "experimental_activeTools". It is now activeTools: { activeTools: … }.',
    ],
    [
      { options: { experimental_providerMetadata: {} } },
      'options has no "experimental_providerMetadata". It is now providerOptions: { providerOptions: { openai: { … } } }.',
    ],
    [
      { options: { toolCallStreaming: true } },
      'options has no "toolCallStreaming". Tool calls are always streamed. Leave it out.',
    ],
    [
      { options: { experimental_toolCallStreaming: true } },
      'options has no "experimental_toolCallStreaming". Tool calls are always streamed. Leave it out.',
    ],
    [
      { options: { experimental_continueSteps: true } },
      'options has no "experimental_continueSteps". The AI SDK has removed it. Leave it out.',
    ],
    [
      { options: { parallelToolCalls: false } },
      'options has no "parallelToolCalls". It is now providerOptions: { providerOptions: { openai: { … } } }.',
    ],
    [{ options: { functions: [] } }, 'options has no "functions". It is now tools: { tools: { … } }.'],
    [
      { options: { responseSchema: {} } },
      'options has no "responseSchema". It is now output: { output: Output.object({ schema }) }.',
    ],
    [
      { options: { experimental_thinking: true } },
      'options has no "experimental_thinking". It is now reasoning: { reasoning: \'medium\' }.',
    ],
    [
      { options: { experimental_dowload: () => {} } },
      'options has no "experimental_dowload". Did you mean experimental_download?',
    ],
    [
      { maxTokens: 5 },
      'maxTokens is now maxOutputTokens, which is an option: runPrompt(…, { options: { maxOutputTokens: … } }).',
    ],
    [{ options: { limits: { maxSteps: 5 } } }, 'options.limits has no "maxSteps". Did you mean steps?'],
  ])('of a run, by a former name: %o', async (config, message) => {
    expect(await refusal(config)).toBe(`invalid_options: ${message}`);
  });

  test('of a run, if no name is near', async () => {
    expect(await refusal({ options: { experimental_foo: 1 } })).toMatch(/"experimental_foo"\. There are: /);
    expect(await refusal({ options: { shape: 'round' } })).toMatch(
      /^invalid_options: options has no "shape"\. There are: .*abortSignal, /,
    );
  });

  test('of a dry run', async () => {
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
  ])('of createRun: %o', async (options, message) => {
    const model = scriptedModel([]);
    const greet = definePrompt('greet', (prompt) => prompt.$`Hi.`);
    const run = createRun(greet, { model, ...options });
    await run.start().catch(() => {});
    const { error } = run.getState();
    expect(error).toMatchObject({ code: 'invalid_options' });
    expect(error?.message).toContain(message);
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
  ])('of a session: %o', async (options, message) => {
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
  ])('of an agent’s config: %o', async (options, message) => {
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
  ])('of %s', async (_what, call, message) => {
    const agent = defineAgent({ name: 'it', instructions: 'Talk.', model: scriptedModel([]) });
    await expect(call(agent)).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining(message) as string,
    });
  });

  test('of a run, if nothing is near: all known ones', async () => {
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
    [{ messages: [] }, 'Agent a cannot have messages. Its function says its messages: prompt.defMessage(…).'],
    [
      { abortSignal: AbortSignal.abort() },
      'Agent a cannot have abortSignal. An agent stops with its run. For a limit of its own there is timeoutMs.',
    ],
    [{ output: {} }, 'Agent a cannot have output. What it must answer with is its responseSchema.'],
    [{ responceSchema: none }, 'Agent a has no "responceSchema". Did you mean responseSchema?'],
    [{ temprature: 1 }, 'Agent a has no "temprature". Did you mean temperature?'],
    [{ maxSteps: 3 }, 'Agent a has no "maxSteps". It is now stopWhen: { stopWhen: isStepCount(5) }.'],
    [null, 'Agent a takes an object, and got null. Write { … }, or leave it out.'],
  ])('of an agent: %o', (options, message) => {
    expect(said((p) => p.defAgent('a', 'An agent', none, () => {}, options as never))).toBe(
      `invalid_definition: ${message}`,
    );
  });

  test('one that is undefined is left out', async () => {
    const { run } = await runPrompt((prompt) => prompt.$`Go.`, {
      model: scriptedModel(['Done.']),
      options: { temprature: undefined } as never,
    });
    await run.finished;
    expect(run.getState().status).toBe('done');
  });
});

describe('definitions that make no sense', () => {
  const deep: Record<string, unknown> = {};
  let end = deep;
  for (let level = 0; level < 20_000; level++) end = end['in'] = {} as Record<string, unknown>;
  const throwing = {
    get value(): string {
      throw new Error('no luck');
    },
  };
  const city = z.string();
  const run = (): number => 1;

  test.each<[string, (prompt: Prompt) => unknown, string]>([
    [
      'schemas without z.object',
      (p) => p.defTool('t', 'd', { city, day: city } as never, run),
      'Tool t has schemas for its arguments, but they are not in one of an object. Write z.object({ city: … }).',
    ],
    [
      'the same of an agent',
      (p) => p.defAgent('a', 'd', { city } as never, () => {}),
      'Tool a has schemas for its arguments, but they are not in one of an object. Write z.object({ city: … }).',
    ],
    [
      'the schema of a text',
      (p) => p.defTool('t', 'd', city, run),
      "The schema of tool t has the type string, but a tool's arguments have names. Write z.object({ … }).",
    ],
    [
      'JSON Schema of a list',
      (p) => p.defTool('t', 'd', { type: 'array', items: {} }, run),
      "The schema of tool t has the type array, but a tool's arguments have names. Write z.object({ … }).",
    ],
    [
      'a part’s schema of a number',
      (p) => p.defTool('t', 'd', [tool('n', 'd', z.number(), run)]),
      "The schema of tool n has the type number, but a tool's arguments have names. Write z.object({ … }).",
    ],
    [
      'a tool without a name',
      (p) => p.defTool(undefined as never, 'd', none, run),
      "A tool's name is undefined. Write a text, such as 'getWeather'.",
    ],
    [
      'a tool without a description',
      (p) => p.defTool('t', undefined as never, none, run),
      'The description of tool t is undefined. Write a text that describes what it does.',
    ],
    [
      'a composite tool without one',
      (p) => p.defTool('t', undefined as never, [part]),
      'The description of tool t is undefined. Write a text that describes what it does.',
    ],
    [
      'an agent whose description is its schema',
      (p) => p.defAgent('a', none as never, (() => {}) as never, undefined as never),
      'The description of tool a is an object. Write a text that describes what it does.',
    ],
    [
      'null for options',
      (p) => p.defTool('t', 'd', none, run, null as never),
      'The options of tool t are null. Write { … }, or leave them out.',
    ],
    [
      'one plugin for a list',
      (p) => p.defAgent('a', 'd', none, () => {}, { plugins: {} as never }),
      'plugins takes a list. Write plugins: [memory].',
    ],
    [
      'a system part without a text',
      (p) => p.defSystem('role', undefined as never),
      "prompt.defSystem('role', …) takes a text, and got undefined.",
    ],
    [
      'a system part whose name is no text',
      (p) => p.defSystem(undefined as never, 'x'),
      '"undefined" cannot name a part of the system prompt. Use one line of text, such as \'role\'.',
    ],
    [
      'null for its options',
      (p) => p.defSystem('role', 'x', null as never),
      'prompt.defSystem takes an object, and got null. Write { … }, or leave it out.',
    ],
    [
      'a text where a template is meant',
      (p) => p.$('hi' as never),
      "prompt.$ is written as a template, without parentheses: prompt.$`…`. For a text that you have there is prompt.defMessage('user', text).",
    ],
    [
      'a task’s misspelt validation',
      (p) => p.defTaskList([{ task: 'A' }, { task: 'B', validate: run } as never]),
      'tasks[1] has no "validate". Did you mean validation?',
    ],
    [
      'a task that is a text',
      (p) => p.defTaskList(['Add'] as never),
      "tasks[0] is 'Add'. Write { task: 'Add' }.",
    ],
    [
      'a task that is null',
      (p) => p.defTaskList([null] as never),
      "tasks[0] is null. Write { task: 'Add 5 and 3' }.",
    ],
    [
      'a misspelt option of a task list',
      (p) => p.defTaskList([{ task: 'A' }], { maxAttempt: 1 } as never),
      'prompt.defTaskList has no "maxAttempt". Did you mean maxAttempts?',
    ],
    [
      'null for those',
      (p) => p.defTaskList([{ task: 'A' }], null as never),
      'prompt.defTaskList takes an object, and got null. Write { … }, or leave it out.',
    ],
    [
      'attempts of a list that has no validations',
      (p) => p.defDynamicTaskList({ maxAttempts: 1 } as never),
      'prompt.defDynamicTaskList has no "maxAttempts". There are: maxNudges.',
    ],
    [
      'a variable without a name',
      (p) => p.def(undefined as never, 'x'),
      '"undefined" cannot be a variable\'s name, because it becomes a tag. Use letters, digits, _ . - and begin with a letter, such as USER_NAME.',
    ],
    [
      'data with a function in it',
      (p) => p.defData('A', { list: [{ run }] }),
      'The data of A has a function at list.0.run, which cannot be written as YAML. Leave it out.',
    ],
    [
      'data with a symbol in it',
      (p) => p.defData('A', { is: Symbol('x') }),
      'The data of A has a symbol at is, which cannot be written as YAML. Leave it out.',
    ],
    [
      'data that throws',
      (p) => p.defData('A', throwing),
      'The data of A cannot be written as YAML (no luck). Give plain objects, arrays, strings, numbers.',
    ],
    [
      'data that is 20,000 levels deep',
      (p) => p.defData('A', deep),
      'The data of A is more than 100 levels deep. Give the part of it that the model needs.',
    ],
  ])('%s', (_what, act, message) => {
    expect(said(act)).toBe(
      `${message.startsWith('plugins') ? 'invalid_options' : 'invalid_definition'}: ${message}`,
    );
  });

  test('data that is 100 levels deep is fine', () => {
    const data = JSON.parse(`${'{"in":'.repeat(99)}{}${'}'.repeat(99)}`) as object;
    expect(new Prompt().defData('A', data)).toBe('<A>');
  });
});

test.each<[object, string]>([
  [{ options: { plugins: {} } }, 'plugins takes a list. Write plugins: [memory].'],
  [
    { options: { tools: [part] } },
    'tools takes the AI SDK’s tools by their names: tools: { search: … }. Your own go to prompt.defTool.',
  ],
  [
    { options: { tools: null } },
    'tools takes the AI SDK’s tools by their names: tools: { search: … }. Your own go to prompt.defTool.',
  ],
  [
    { options: { tools: { read: part } } },
    "tools.read is not one of the AI SDK’s tools. Write prompt.defTool('read', 'what it does', z.object({ … }), async (args) => …).",
  ],
])('a run is refused: %o', async (config, message) => {
  expect(await refusal(config)).toBe(`invalid_options: ${message}`);
});

test('options that are null are the defaults', async () => {
  const { run } = await runPrompt((prompt) => prompt.$`Go.`, {
    model: scriptedModel(['Done.']),
    options: null as never,
  });
  await run.finished;
  expect(run.getState().status).toBe('done');
});

test('methods may be destructured from the prompt', async () => {
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

test('a replaced method is replaced in tasks too', async () => {
  const defined: string[] = [];
  const { run } = await runPrompt(
    (prompt) => {
      const defTool = prompt.defTool.bind(prompt) as (...args: unknown[]) => void;
      Object.assign(prompt, {
        defTool(...args: unknown[]) {
          defined.push(args[0] as string);
          defTool(...args);
        },
      });
      prompt.defTool('one', '', none, () => 1);
      prompt.defTaskList([{ task: 'A', extend: (own) => own.defTool('two', '', none, () => 2) }]);
      prompt.$`Go.`;
    },
    { model: scriptedModel([[{ toolCall: { name: 'finishTask', input: { result: 'x' } } }], 'Done.']) },
  );
  await run.finished;
  expect(run.getState().status).toBe('done');
  expect(defined).toEqual(['one', 'two']);
});
