import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { FetchFunction } from './guarded-fetch.ts';

/** The settings of a provider package's `create…` function. */
export type ProviderSettings = {
  apiKey: string | undefined;
  /** Left out if the package derives it from `account`. */
  baseURL?: string;
  fetch: FetchFunction;
  /** The provider's name in its models. */
  name?: string;
  headers?: Record<string, string>;
  /** Settings of Azure, Bedrock and Vertex besides a key, by their packages' names: `region`, `project` … */
  account?: Readonly<Record<string, string>>;
};

/** Creates models of one provider by id. */
export type CreateProvider = (settings: ProviderSettings) => (modelId: string) => LanguageModelV4;

/** The names of the built-in providers. */
export type BuiltInProvider =
  | 'openai'
  | 'anthropic'
  | 'google'
  | 'mistral'
  | 'groq'
  | 'xai'
  | 'deepseek'
  | 'togetherai'
  | 'fireworks'
  | 'cohere'
  | 'perplexity'
  | 'azure'
  | 'bedrock'
  | 'vertex'
  | 'gateway';

/**
 * How each provider's package is loaded: by `import()` when a model of it is first requested. Pass your own where
 * `import()` cannot be used, such as in a service worker.
 */
export type ProviderPackages = Record<BuiltInProvider | 'openai-compatible', () => Promise<CreateProvider>>;

/** A package with models. */
export type ProviderPackage = {
  /** Its name in the registry. */
  package: string;
  load: () => Promise<CreateProvider>;
};

/** A built-in provider. To add one: a row below, its name in {@link BuiltInProvider}, and a row in docs/models.md. */
export type ProviderRow = ProviderPackage & {
  /** Variables that may hold the key. The first one is recommended. */
  keys: readonly [string, ...string[]];
  /** Always passed to the provider, which would otherwise read `process.env` instead of our environment. */
  baseURL?: string;
  /** Variables that may hold another address. The first one is recommended. Default: `<NAME>_API_BASE`. */
  bases?: readonly [string, ...string[]];
  /** The variable of each further setting. */
  account?: Readonly<Record<string, string>>;
  /** The settings that are sufficient, in one way or another. Default: the key. */
  needs?: readonly (readonly string[])[];
  /** Variables of a platform that has its own key for each request. */
  platform?: readonly string[];
  /** What to do if none of these exist. */
  hint?: string;
  /** Headers that the provider requires for calls from a browser. */
  browserHeaders?: Record<string, string>;
};

/**
 * A bundler leaves out a package that is not installed, instead of failing, if the failure of its import is handled.
 * Turbopack, webpack, Metro, Vite and esbuild all recognize `try { await import('a literal') } catch`, and nothing
 * else, so each row has its own.
 */
export const providers: Readonly<Record<BuiltInProvider, ProviderRow>> = {
  openai: {
    package: '@ai-sdk/openai',
    keys: ['OPENAI_API_KEY'],
    baseURL: 'https://api.openai.com/v1',
    bases: ['OPENAI_API_BASE', 'OPENAI_BASE_URL'],
    async load() {
      const { createOpenAI } = await import('@ai-sdk/openai');
      // a server on this machine may need no key; without one, the package would read that of `process.env`
      return ({ apiKey, ...settings }) => createOpenAI({ ...settings, apiKey: apiKey ?? 'none' });
    },
  },
  anthropic: {
    package: '@ai-sdk/anthropic',
    keys: ['ANTHROPIC_API_KEY'],
    baseURL: 'https://api.anthropic.com/v1',
    bases: ['ANTHROPIC_API_BASE', 'ANTHROPIC_BASE_URL'],
    browserHeaders: { 'anthropic-dangerous-direct-browser-access': 'true' },
    async load() {
      try {
        const { createAnthropic } = await import('@ai-sdk/anthropic');
        return ({ apiKey = '', ...settings }) => createAnthropic({ ...settings, apiKey });
      } catch (error) {
        return passOn(error);
      }
    },
  },
  google: {
    package: '@ai-sdk/google',
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'],
    baseURL: 'https://generativelanguage.googleapis.com/v1beta',
    bases: ['GOOGLE_API_BASE', 'GOOGLE_BASE_URL'],
    async load() {
      try {
        const { createGoogle } = await import('@ai-sdk/google');
        return ({ apiKey = '', ...settings }) => createGoogle({ ...settings, apiKey });
      } catch (error) {
        return passOn(error);
      }
    },
  },
  mistral: {
    package: '@ai-sdk/mistral',
    keys: ['MISTRAL_API_KEY'],
    baseURL: 'https://api.mistral.ai/v1',
    bases: ['MISTRAL_API_BASE', 'MISTRAL_BASE_URL'],
    async load() {
      try {
        const { createMistral } = await import('@ai-sdk/mistral');
        return ({ apiKey = '', ...settings }) => createMistral({ ...settings, apiKey });
      } catch (error) {
        return passOn(error);
      }
    },
  },
  groq: {
    package: '@ai-sdk/groq',
    keys: ['GROQ_API_KEY'],
    baseURL: 'https://api.groq.com/openai/v1',
    async load() {
      try {
        const { createGroq } = await import('@ai-sdk/groq');
        return ({ apiKey = '', ...settings }) => createGroq({ ...settings, apiKey });
      } catch (error) {
        return passOn(error);
      }
    },
  },
  xai: {
    package: '@ai-sdk/xai',
    keys: ['XAI_API_KEY'],
    baseURL: 'https://api.x.ai/v1',
    async load() {
      try {
        const { createXai } = await import('@ai-sdk/xai');
        return ({ apiKey = '', ...settings }) => createXai({ ...settings, apiKey });
      } catch (error) {
        return passOn(error);
      }
    },
  },
  deepseek: {
    package: '@ai-sdk/deepseek',
    keys: ['DEEPSEEK_API_KEY'],
    baseURL: 'https://api.deepseek.com',
    async load() {
      try {
        const { createDeepSeek } = await import('@ai-sdk/deepseek');
        return ({ apiKey = '', ...settings }) => createDeepSeek({ ...settings, apiKey });
      } catch (error) {
        return passOn(error);
      }
    },
  },
  togetherai: {
    package: '@ai-sdk/togetherai',
    keys: ['TOGETHER_API_KEY', 'TOGETHERAI_API_KEY', 'TOGETHER_AI_API_KEY'],
    baseURL: 'https://api.together.xyz/v1',
    async load() {
      try {
        const { createTogetherAI } = await import('@ai-sdk/togetherai');
        return ({ apiKey = '', ...settings }) => createTogetherAI({ ...settings, apiKey });
      } catch (error) {
        return passOn(error);
      }
    },
  },
  fireworks: {
    package: '@ai-sdk/fireworks',
    keys: ['FIREWORKS_API_KEY'],
    baseURL: 'https://api.fireworks.ai/inference/v1',
    async load() {
      try {
        const { createFireworks } = await import('@ai-sdk/fireworks');
        return ({ apiKey = '', ...settings }) => createFireworks({ ...settings, apiKey });
      } catch (error) {
        return passOn(error);
      }
    },
  },
  cohere: {
    package: '@ai-sdk/cohere',
    keys: ['COHERE_API_KEY'],
    baseURL: 'https://api.cohere.com/v2',
    async load() {
      try {
        const { createCohere } = await import('@ai-sdk/cohere');
        return ({ apiKey = '', ...settings }) => createCohere({ ...settings, apiKey });
      } catch (error) {
        return passOn(error);
      }
    },
  },
  perplexity: {
    package: '@ai-sdk/perplexity',
    keys: ['PERPLEXITY_API_KEY'],
    baseURL: 'https://api.perplexity.ai',
    async load() {
      try {
        const { createPerplexity } = await import('@ai-sdk/perplexity');
        return ({ apiKey = '', ...settings }) => createPerplexity({ ...settings, apiKey });
      } catch (error) {
        return passOn(error);
      }
    },
  },
  azure: {
    package: '@ai-sdk/azure',
    keys: ['AZURE_API_KEY'],
    account: { resourceName: 'AZURE_RESOURCE_NAME' },
    needs: [
      ['apiKey', 'resourceName'],
      ['apiKey', 'baseURL'],
    ],
    async load() {
      try {
        const { createAzure } = await import('@ai-sdk/azure');
        return ({ apiKey = '', account, ...settings }) => createAzure({ ...settings, ...account, apiKey });
      } catch (error) {
        return passOn(error);
      }
    },
  },
  bedrock: {
    package: '@ai-sdk/amazon-bedrock',
    keys: ['AWS_BEARER_TOKEN_BEDROCK'],
    account: {
      region: 'AWS_REGION',
      accessKeyId: 'AWS_ACCESS_KEY_ID',
      secretAccessKey: 'AWS_SECRET_ACCESS_KEY',
      sessionToken: 'AWS_SESSION_TOKEN',
    },
    needs: [
      ['apiKey', 'region'],
      ['accessKeyId', 'secretAccessKey', 'region'],
    ],
    hint: 'For credentials of another kind, pass providers: { bedrock: createAmazonBedrock({ … }) }.',
    async load() {
      try {
        const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
        // without an address, the package reads one from `process.env`
        return ({ apiKey = '', account = {}, baseURL = bedrockAddress(account['region']), ...settings }) =>
          createAmazonBedrock({ ...settings, ...account, apiKey, baseURL });
      } catch (error) {
        return passOn(error);
      }
    },
  },
  vertex: {
    package: '@ai-sdk/google-vertex',
    keys: ['GOOGLE_VERTEX_API_KEY'],
    account: {
      project: 'GOOGLE_VERTEX_PROJECT',
      location: 'GOOGLE_VERTEX_LOCATION',
      clientEmail: 'GOOGLE_CLIENT_EMAIL',
      privateKey: 'GOOGLE_PRIVATE_KEY',
      privateKeyId: 'GOOGLE_PRIVATE_KEY_ID',
    },
    needs: [['apiKey'], ['clientEmail', 'privateKey', 'project', 'location']],
    hint: 'For credentials of another kind, pass providers: { vertex: createGoogleVertex({ … }) }.',
    async load() {
      try {
        // the other entry needs Node's own modules, on which a bundle for a page fails
        const { createGoogleVertex } = await import('@ai-sdk/google-vertex/edge');
        return ({ apiKey = '', account = {}, ...settings }) => {
          const { clientEmail = '', privateKey = '', privateKeyId, ...location } = account;
          const googleCredentials = {
            clientEmail,
            // a variable has no line breaks, so they are often written as \n
            privateKey: privateKey.replaceAll('\\n', '\n'),
            ...(privateKeyId === undefined ? {} : { privateKeyId }),
          };
          return createGoogleVertex({ ...settings, ...location, apiKey, googleCredentials });
        };
      } catch (error) {
        return passOn(error);
      }
    },
  },
  gateway: {
    package: 'ai',
    keys: ['AI_GATEWAY_API_KEY'],
    baseURL: 'https://ai-gateway.vercel.sh/v4/ai',
    // many apps have a gateway of their own, and GATEWAY_API_BASE may be its address
    bases: ['AI_GATEWAY_API_BASE'],
    platform: ['VERCEL_OIDC_TOKEN', 'VERCEL'],
    hint: 'A model written provider/model goes through the AI Gateway; provider:model asks the provider itself.',
    async load() {
      const { createGateway } = await import('ai');
      // with an empty key the package asks Vercel for a token; without one it would first read `process.env`
      return ({ apiKey = '', ...settings }) => createGateway({ ...settings, apiKey });
    },
  },
};

/** Speaks Chat Completions at any address. */
export const openAICompatible: ProviderPackage = {
  package: '@ai-sdk/openai-compatible',
  async load() {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return ({ apiKey, name = 'custom', baseURL = '', ...settings }) =>
      createOpenAICompatible({
        ...settings,
        name,
        baseURL,
        includeUsage: true,
        supportsStructuredOutputs: true,
        ...(apiKey === undefined ? {} : { apiKey }),
      });
  },
};

function bedrockAddress(region: string = ''): string {
  if (!/^[a-z0-9-]+$/.test(region)) throw new Error('Invalid AWS region. Write one such as eu-central-1.');
  return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

function passOn(error: unknown): never {
  throw error;
}
