import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { runPrompt, type PromptOptions } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { ModelMessage, streamText } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { convertOnce } from '../../src/engine/convert-once.ts';
import { go } from '../support.ts';
import { look, file, playBoth, unanswered } from '../support/conversion.ts';

describe('a file that the provider cannot take by its URL', () => {
  const messages: ModelMessage[] = [{ role: 'user', content: [file('given.png')] }];
  const turns: ScriptedTurn[] = [[look(5)], [look(1)], [look(2)], 'Done.'];

  test('is downloaded once', async () => {
    const { urls, plainUrls, prompts } = await playBoth({ turns, options: { messages } });
    expect(urls).toEqual(['/given.png', '/found.png']);
    expect(plainUrls).toHaveLength(4 + 3);
    expect(prompts).toHaveLength(4);
    expect(prompts.every((prompt) => !prompt.includes('https://'))).toBe(true);
  });

  test('is downloaded again for another model, and not for a model that accepts URLs', async () => {
    const { urls, prompts } = await playBoth({
      turns,
      options: { messages },
      otherModelAt: (step) => step === 1,
    });
    expect(urls).toEqual(['/given.png', '/given.png', '/found.png']);
    expect(prompts.map((prompt) => prompt.includes('https://'))).toEqual([false, true, false, false]);
  });
});

describe('what the AI SDK refuses is still refused', () => {
  const turns: ScriptedTurn[] = [[look(1)], [look(2)], 'Done.'];
  const adding =
    (added: ModelMessage): NonNullable<PromptOptions['prepareStep']> =>
    ({ messages, stepNumber }) =>
      stepNumber === 2 ? { messages: [...messages, added] } : undefined;

  test.each<[string, ModelMessage, string]>([
    ['a call without its result', unanswered, 'Tool result is missing for tool call open'],
    ['a system message', { role: 'system', content: 'No.' }, 'System messages are not allowed in the prompt'],
    [
      'a role that it does not know',
      { role: 'crowd', content: 'No.' } as never,
      "Invalid message role: 'crowd'",
    ],
    ['a file that is not there', { role: 'user', content: [file('gone.png')] }, 'There is no such file.'],
  ])('%s', async (_what, added, message) => {
    const { error, prompts } = await playBoth({ turns, options: { prepareStep: adding(added) } });
    expect(error).toContain(message);
    expect(prompts).toHaveLength(2);
  });
});

test('a wrapped model keeps its private fields, and its name in the log', async () => {
  const script = scriptedModel([[look(1)], [look(2)], 'Done.']);
  class Provider {
    readonly specificationVersion = 'v4';
    readonly provider = 'acme.chat';
    readonly #name = 'own';
    readonly doGenerate = script.doGenerate;
    get modelId(): string {
      return this.#name;
    }
    get supportedUrls(): Record<string, RegExp[]> {
      return { [this.#name]: [] };
    }
    doStream(options: Parameters<LanguageModelV4['doStream']>[0]): ReturnType<LanguageModelV4['doStream']> {
      void this.#name;
      return script.doStream(options);
    }
  }
  const { run } = await runPrompt(
    go((prompt) => prompt.defTool('look', '', z.object({ n: z.number() }), ({ n }) => n)),
    { model: new Provider() },
  );
  const { status, steps } = await run.finished;
  expect({ status, models: steps.map(({ request }) => request.model) }).toEqual({
    status: 'done',
    models: ['acme.chat:own', 'acme.chat:own', 'acme.chat:own'],
  });
});

describe('an AI SDK that passes copies', () => {
  const text = (role: 'user' | 'assistant', content: string): ModelMessage => ({ role, content });
  const first = [text('user', 'Go.'), text('assistant', 'Where?'), text('user', 'On.')];
  const second = [...first, text('assistant', 'Gone.'), text('user', 'Good.')];
  const convert = (messages: readonly ModelMessage[]): LanguageModelV4Prompt =>
    messages.map(({ role, content, providerOptions }) => ({
      role,
      content: [{ type: 'text', text: content }],
      providerOptions,
    })) as LanguageModelV4Prompt;

  /** Two steps of a run: the messages to convert at the second one, and the prompt that the model gets then. */
  async function play(handOn: (messages: ModelMessage[]) => ModelMessage[]) {
    const script = scriptedModel(['Gone.', 'Good.']);
    const options = convertOnce<Pick<Parameters<typeof streamText>[0], 'prepareStep' | 'onStepStart'>>({});
    let converted = 0;
    for (const messages of [first, second]) {
      const prepared = (await options.prepareStep?.({ model: script, messages } as never)) ?? {};
      const { model = script, messages: given = [] } = prepared;
      const prompt = convert(given);
      converted = prompt.length;
      const event = { messages: handOn(given), promptMessages: structuredClone(prompt) };
      await options.onStepStart?.(event as never);
      await (model as LanguageModelV4).doStream({ prompt });
    }
    return { converted, prompt: script.calls[1]?.prompt };
  }

  test('of prompts still sends the whole prompt to the model', async () => {
    expect(await play((messages) => messages)).toEqual({ converted: 3, prompt: convert(second) });
  });

  test('of message lists converts every message', async () => {
    expect(await play((messages) => [...messages])).toEqual({ converted: 5, prompt: convert(second) });
  });
});
