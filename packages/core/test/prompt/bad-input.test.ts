// What a script gets wrong is said where it stands, with what to write instead.
import { CuelineError, runPrompt, tool } from '@cueline/core';
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
  ])('%s is one of its parts’', (name) => {
    expect(said((p) => p.defTool('file', 'Files', [part], { [name]: undefined } as never))).toBe(
      `invalid_definition: Tool file is made of tools, so it cannot have ${name}, only repeatable and timeoutMs. Give ${name} to its parts: tool('read', '…', z.object({ … }), async (args) => …, { ${name}: … }).`,
    );
  });

  test.each<[string, unknown]>([
    ['a function', () => 1],
    ['null', null],
  ])('%s is none', (_what, options) => {
    expect(said((p) => p.defTool('file', 'Files', [part], options as never))).toBe(
      'invalid_definition: Tool file is made of tools, so after them it takes only options, such as { timeoutMs: 5000 }.',
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

describe('options that nobody knows', () => {
  test.each<[object, string]>([
    [{ options: { temprature: 1 } }, 'options has no "temprature". Did you mean temperature?'],
    [{ options: { onstepend: () => {} } }, 'options has no "onstepend". Did you mean onStepEnd?'],
    [
      { options: { shape: 'round' } },
      'options has no "shape". There is what the AI SDK’s streamText takes, and plugins, systemFormat, limits, approval.',
    ],
    [
      { options: { model: 'openai:gpt-4o' } },
      'model stands beside the options: runPrompt(…, { model: …, options: { … } }).',
    ],
    [{ options: 'fast' }, "options takes an object, and got 'fast'. Write { … }, or leave it out."],
    [{ temperature: 1 }, 'temperature is an option: runPrompt(…, { options: { temperature: … } }).'],
    [{ option: {} }, 'runPrompt has no "option". Did you mean options?'],
  ])('of a run: %o', async (config, message) => {
    expect(await refusal(config)).toBe(`invalid_options: ${message}`);
  });

  test('of a run, where nothing is near: all that there are', async () => {
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
    [null, 'Agent a takes an object, and got null. Write { … }, or leave it out.'],
  ])('of an agent: %o', (options, message) => {
    expect(said((p) => p.defAgent('a', 'An agent', none, () => {}, options as never))).toBe(
      `invalid_definition: ${message}`,
    );
  });

  test('one that is there without a value is left out', async () => {
    const { run } = await runPrompt((prompt) => prompt.$`Go.`, {
      model: scriptedModel(['Done.']),
      options: { temprature: undefined } as never,
    });
    await run.finished;
    expect(run.state.status).toBe('done');
  });
});
