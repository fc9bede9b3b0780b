import { definePrompt } from '@cueline/core';
import { builtInProviders, resolveModel } from '@cueline/core/models';
import {
  createKillSwitch,
  createModelProxy,
  createPromptRoute,
  createRunGuard,
  type KillSwitchOption,
  type ModelPrice,
  type RunGuardOptions,
} from '@cueline/edge';
import { describe, expect, test } from 'vitest';
import { priceOf } from '../src/limits/prices.ts';

const env = {
  AI_GATEWAY_API_KEY: 'key',
  ANTHROPIC_API_KEY: 'key',
  AWS_BEARER_TOKEN_BEDROCK: 'key',
  AWS_REGION: 'eu-central-1',
  AZURE_API_KEY: 'key',
  AZURE_RESOURCE_NAME: 'lab',
  COHERE_API_KEY: 'key',
  DEEPSEEK_API_KEY: 'key',
  FIREWORKS_API_KEY: 'key',
  GOOGLE_API_KEY: 'key',
  GOOGLE_VERTEX_API_KEY: 'key',
  GROQ_API_KEY: 'key',
  MISTRAL_API_KEY: 'key',
  OPENAI_API_KEY: 'key',
  PERPLEXITY_API_KEY: 'key',
  TOGETHER_API_KEY: 'key',
  XAI_API_KEY: 'key',
};

describe('a price is found by the name in the request', () => {
  test.each(builtInProviders)('%s:model-x', async (provider) => {
    const price = { input: 1, output: 2 };
    const model = await resolveModel(`${provider}:model-x`, { env });
    expect(priceOf({ [`${provider}:model-x`]: price }, model.provider, model.modelId)).toBe(price);
    expect(priceOf({ 'other:model-x': price }, model.provider, model.modelId)).toBeUndefined();
  });

  test('the same model may have two prices at two providers', async () => {
    const prices = {
      'google:gemini-x': { input: 1, output: 1 },
      'vertex:gemini-x': { input: 2, output: 2 },
    };
    for (const provider of ['google', 'vertex'] as const) {
      const { provider: name, modelId } = await resolveModel(`${provider}:gemini-x`, { env });
      expect(priceOf(prices, name, modelId)).toBe(prices[`${provider}:gemini-x`]);
    }
  });
});

describe('prices and kill switches are checked when a route, a proxy or a guard is created', () => {
  const definition = definePrompt('greet', (prompt) => {
    prompt.$`Say hello.`;
  });
  const open = { origins: ['https://app.example'], auth: () => ({ subject: 'ada' }) };
  const makers: Record<string, (options: Pick<RunGuardOptions, 'killSwitch' | 'prices'>) => unknown> = {
    createModelProxy: (options) =>
      createModelProxy({ ...open, ...options, limits: {}, providers: { openai: { models: ['gpt-x'] } } }),
    createPromptRoute: (options) => createPromptRoute(definition, { ...open, ...options }),
    createRunGuard,
  };

  test.each(Object.entries(makers))('%s', (name, make) => {
    const withPrice = (price: object) => () => make({ prices: { 'openai:gpt-x': price as ModelPrice } });
    expect(withPrice({ input: 1, output: 2, cachedInput: 0, cacheWrite: 2 })).not.toThrow();
    expect(withPrice({ input: 1, output: 2, cachewrite: 2 })).toThrow(
      `${name}: prices["openai:gpt-x"] has no "cachewrite". Did you mean cacheWrite?`,
    );
    expect(withPrice({ input: NaN, output: 2 })).toThrow(`${name}: prices["openai:gpt-x"] is not a price.`);
    const withLong = (longContext: object) => withPrice({ input: 1, output: 2, longContext });
    expect(withLong({ above: 200_000, input: 2, output: 3, cachedInput: 1 })).not.toThrow();
    expect(withLong({ from: 200_000, input: 2, output: 3 })).toThrow('longContext has no "from".');
    expect(withLong({ above: 200_000, input: 2 })).toThrow('"].longContext is not a price.');
    expect(withLong({ input: 2, output: 3 })).toThrow('Write { above: 200_000, input, output }.');
    const withSwitch = (killSwitch: unknown) => () => make({ killSwitch: killSwitch as KillSwitchOption });
    expect(withSwitch(createKillSwitch())).not.toThrow();
    expect(withSwitch(() => false)).not.toThrow();
    for (const wrong of [true, 'on', null, { on: true }, { isOn: true }]) {
      expect(withSwitch(wrong)).toThrow(
        `${name}: killSwitch is not a switch. Pass createKillSwitch(), or a function that returns true while calls are refused.`,
      );
    }
  });
});
