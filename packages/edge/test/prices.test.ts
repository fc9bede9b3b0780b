import { describe, expect, test } from 'vitest';
import { builtInProviders, resolveModel } from '@cueline/core/models';
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
