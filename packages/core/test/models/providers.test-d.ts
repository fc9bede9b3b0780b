import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createAzure } from '@ai-sdk/azure';
import { createCohere } from '@ai-sdk/cohere';
import { createDeepSeek } from '@ai-sdk/deepseek';
import { createFireworks } from '@ai-sdk/fireworks';
import { createGoogle } from '@ai-sdk/google';
import { createGoogleVertex } from '@ai-sdk/google-vertex';
import { createGoogleVertex as createGoogleVertexEdge } from '@ai-sdk/google-vertex/edge';
import { createGroq } from '@ai-sdk/groq';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { createPerplexity } from '@ai-sdk/perplexity';
import { createTogetherAI } from '@ai-sdk/togetherai';
import { createXai } from '@ai-sdk/xai';
import type { BuiltInProvider, ModelProvider, ModelSettings, ProviderPackages } from '@cueline/core/models';
import { createGateway } from 'ai';
import { expectTypeOf, test } from 'vitest';

test('every provider of the AI SDK can replace the built-in one of its name', () => {
  const providers = {
    openai: createOpenAI(),
    anthropic: createAnthropic(),
    google: createGoogle(),
    mistral: createMistral(),
    groq: createGroq(),
    xai: createXai(),
    deepseek: createDeepSeek(),
    togetherai: createTogetherAI(),
    fireworks: createFireworks(),
    cohere: createCohere(),
    perplexity: createPerplexity(),
    azure: createAzure({ resourceName: 'lab' }),
    bedrock: createAmazonBedrock({ region: 'eu-central-1' }),
    vertex: createGoogleVertex({ project: 'p', location: 'global' }),
    gateway: createGateway(),
  };
  expectTypeOf(providers).toExtend<Record<BuiltInProvider, ModelProvider>>();
  expectTypeOf({ vertex: createGoogleVertexEdge() }).toExtend<NonNullable<ModelSettings['providers']>>();
});

test('the package of each provider can be set', () => {
  expectTypeOf<keyof ProviderPackages>().toEqualTypeOf<BuiltInProvider | 'openai-compatible'>();
});
