import type { LanguageModel } from 'ai';
import type { Environment } from './environment.ts';
import type { FetchFunction } from './guarded-fetch.ts';
import type { ProviderPackages } from './providers.ts';

/** A model as an object, as `createOpenAI()('gpt-4o')` and the like make it. */
export type LanguageModelObject = Exclude<LanguageModel, string>;

/** A model of the version of the AI SDK's specification that it calls models by. */
export type CurrentModel = Extract<LanguageModelObject, { specificationVersion: 'v4' }>;

/** A provider in code: one of the AI SDK's, or a function from model id to model. */
export type ModelProvider =
  | { languageModel(modelId: string): LanguageModelObject }
  | ((modelId: string) => LanguageModelObject | Promise<LanguageModelObject>);

/** Where models come from. */
export type ModelSettings = {
  /** Keys, addresses and aliases. The process's environment by default. */
  env?: Environment | undefined;
  /** Providers by name. They come before built-in ones and those of the environment. */
  providers?: Readonly<Record<string, ModelProvider>> | undefined;
  /** What requests go through, in place of the global `fetch`. */
  fetch?: FetchFunction | undefined;
  /** How provider packages are loaded, where `import()` will not do. */
  packages?: Partial<ProviderPackages> | undefined;
  /**
   * Puts something around every model that a run or one of its agents calls, such as a meter or a log. Of the same model
   * object it should give the same one.
   */
  wrapModel?: ((model: CurrentModel) => CurrentModel) | undefined;
};

/** The same with every default filled in. */
export type ModelContext = {
  env: Environment;
  providers: Readonly<Record<string, ModelProvider>>;
  /** Guarded. */
  fetch: FetchFunction;
  packages: Partial<ProviderPackages>;
};
