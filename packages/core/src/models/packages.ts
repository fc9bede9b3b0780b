import type { LanguageModelV4 } from '@ai-sdk/provider';
import { CuelineError } from '../errors.ts';
import { installCommand } from '../install-command.ts';
import { missingPackage } from '../missing-package.ts';
import type { FetchFunction } from './guarded-fetch.ts';

/** What a provider package's `create…` function is given. */
export type ProviderSettings = {
  apiKey: string | undefined;
  baseURL: string;
  fetch: FetchFunction;
  /** How models name their provider. */
  name?: string;
  headers?: Record<string, string>;
};

/** Makes models of one provider by id. */
export type CreateProvider = (settings: ProviderSettings) => (modelId: string) => LanguageModelV4;

/**
 * How each provider's package is loaded: by `import()` when a model of it is first asked for. Give your own where
 * `import()` cannot be used, such as in a service worker.
 */
export type ProviderPackages = {
  openai: () => Promise<CreateProvider>;
  anthropic: () => Promise<CreateProvider>;
  google: () => Promise<CreateProvider>;
  mistral: () => Promise<CreateProvider>;
  'openai-compatible': () => Promise<CreateProvider>;
};

/** A provider's package. To add one: a row below, and its name in {@link ProviderPackages}. */
type ProviderPackage = {
  /** As it is installed. */
  name: string;
  load: () => Promise<CreateProvider>;
};

/**
 * A bundler leaves out a package that is not installed, in place of failing, where a failure of its import is handled.
 * Turbopack, webpack, Metro, Vite and esbuild all see that in `try { await import('a literal') } catch` and in nothing
 * else, so that each row has its own.
 */
const packages: Record<keyof ProviderPackages, ProviderPackage> = {
  openai: {
    name: '@ai-sdk/openai',
    async load() {
      const { createOpenAI } = await import('@ai-sdk/openai');
      // An id of a local server's is as good as one that the package knows.
      return ({ apiKey, ...settings }) => createOpenAI({ ...settings, apiKey: apiKey ?? 'none' });
    },
  },
  anthropic: {
    name: '@ai-sdk/anthropic',
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
    name: '@ai-sdk/google',
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
    name: '@ai-sdk/mistral',
    async load() {
      try {
        const { createMistral } = await import('@ai-sdk/mistral');
        return ({ apiKey = '', ...settings }) => createMistral({ ...settings, apiKey });
      } catch (error) {
        return passOn(error);
      }
    },
  },
  'openai-compatible': {
    name: '@ai-sdk/openai-compatible',
    async load() {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return ({ apiKey, name = 'custom', ...settings }) =>
        createOpenAICompatible({
          ...settings,
          name,
          includeUsage: true,
          ...(apiKey === undefined ? {} : { apiKey }),
        });
    },
  },
};

function passOn(error: unknown): never {
  throw error;
}

/** Loads a provider's package. Throws `missing_package` with the command that installs it. */
export async function loadPackage(
  provider: keyof ProviderPackages,
  overrides: Partial<ProviderPackages> = {},
): Promise<CreateProvider> {
  const { name, load } = packages[provider];
  try {
    return await (overrides[provider] ?? load)();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // A page that was open while its app was deployed anew asks for chunks that are gone.
    if (/dynamically imported module|module script failed|load(?:ing)? chunk/i.test(reason)) {
      throw new CuelineError('network', `The code of ${name} could not be loaded. Reload the page.`, {
        cause: error,
      });
    }
    const missing = missingPackage(error);
    throw new CuelineError(
      'missing_package',
      `Models of "${provider}" need the package ${missing ?? name}, which ` +
        (missing === undefined ? `could not be loaded (${reason})` : 'is not installed') +
        `. Install it: ${installCommand(missing ?? name)}`,
      { cause: error, details: { package: missing ?? name } },
    );
  }
}
