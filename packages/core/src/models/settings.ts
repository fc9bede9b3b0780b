import type { LanguageModel } from 'ai';
import type { Environment } from './environment.ts';
import type { FetchFunction } from './guarded-fetch.ts';
import type { ProviderPackages } from './providers.ts';

/** A model object, such as `createOpenAI()('gpt-4o')`. */
export type LanguageModelObject = Exclude<LanguageModel, string>;

/** A model of the specification's version that the AI SDK calls. */
export type CurrentModel = Extract<LanguageModelObject, { specificationVersion: 'v4' }>;

/** A provider in code: one of the AI SDK, or a function from model id to model. */
export type ModelProvider =
  | { languageModel(modelId: string): LanguageModelObject }
  | ((modelId: string) => LanguageModelObject | Promise<LanguageModelObject>);

/** Where models come from. */
export type ModelSettings = {
  /** Keys, addresses and aliases. Default: the process's environment. */
  env?: Environment | undefined;
  /** Providers by name. They override built-in ones and those of the environment. */
  providers?: Readonly<Record<string, ModelProvider>> | undefined;
  /** Sends the requests, instead of the global `fetch`. */
  fetch?: FetchFunction | undefined;
  /** How provider packages are loaded, if `import()` cannot be used. */
  packages?: Partial<ProviderPackages> | undefined;
  /**
   * Wraps every model that a run or one of its agents calls, for example with a meter or a log. It should return the
   * same wrapper for the same model object.
   */
  wrapModel?: ((model: CurrentModel) => CurrentModel) | undefined;
};

/** The settings with all defaults. */
export type ModelContext = {
  env: Environment;
  /** True if the caller passed `env`. */
  isEnvPassed: boolean;
  providers: Readonly<Record<string, ModelProvider>>;
  /** Wrapped by the guarded fetch. */
  fetch: FetchFunction;
  packages: Partial<ProviderPackages>;
};
