import type { LanguageModel } from 'ai';
import { anySignal } from '../base/any-signal.ts';
import { loadModule } from '../base/load-module.ts';
import { untilAborted } from '../base/until-aborted.ts';
import { canonicalJson } from '../json/canonical.ts';
import { hashOf } from '../json/content-hash.ts';
import { processEnvironment, readVariable, secretsOf } from '../models/environment.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import { dryRun } from '../run/dry-run.ts';
import { modelName } from './names.ts';
import { startLimit } from './run-case.ts';
import type { EvalCase } from './scorer.ts';

/** What the key of a run depends on, besides the settings of all runs. */
export type KeyedRun<Input> = {
  readonly prompt: PromptDefinition<Input>;
  readonly case: EvalCase<Input>;
  readonly model: string | LanguageModel | undefined;
  /** How many models before it have the same name. */
  readonly namesakes: number;
  readonly repetition: number;
};

/** The settings of all runs of an evaluation. */
export type KeySettings = {
  readonly options: PromptOptions | undefined;
  readonly models: ModelSettings;
  /** Milliseconds that a first request may take. */
  readonly timeout: number;
  readonly signal: AbortSignal;
};

/** Returns the key of a run in the store; undefined for a run that is always made. */
export type KeyOf<Input> = (run: KeyedRun<Input>) => Promise<string | undefined>;

/**
 * Returns a function that gives runs their keys in the store: a hash of the first request, the model, the options,
 * the model settings and the repetition. A prompt that fails before its first request has none, nor has a request
 * whose log lacks a large file.
 */
export function keysOf<Input>({ options = {}, models, timeout, signal }: KeySettings): KeyOf<Input> {
  const { abortSignal: stopped, ...plain } = options;
  const { providers = {}, fetch, wrapModel } = models;
  const code = canonicalJson([codeOf(plain), codeOf(functionsOf(providers)), codeOf({ fetch, wrapModel })]);
  // repetitions share their request; prompts of one name may differ
  const requests = new Map<string, Promise<unknown>>();
  const numbers = new Map<object, number>();
  const numberOf = (one: object): number => {
    if (!numbers.has(one)) numbers.set(one, numbers.size);
    return numbers.get(one)!;
  };
  const firstRequest = async (
    prompt: PromptDefinition<Input>,
    config: { model: string | LanguageModel; input: Input },
  ): Promise<unknown> => {
    const limit = startLimit('The prompt function', timeout);
    const abortSignal = anySignal(signal, limit.signal, stopped);
    try {
      const all = { ...config, options: { ...plain, abortSignal } };
      return (await untilAborted(dryRun(prompt, all as never), abortSignal)).request;
    } catch {
      return undefined;
    } finally {
      limit.clear();
    }
  };
  return async ({ prompt, case: evalCase, model = prompt.model, namesakes, repetition }) => {
    if (model === undefined) return undefined;
    const { input } = evalCase;
    const id = `${numberOf(evalCase)} ${numberOf(prompt)} ${modelName(model)}`;
    const request = requests.get(id) ?? firstRequest(prompt, { model, input });
    requests.set(id, request);
    const first = await request;
    if (first === undefined || canonicalJson(first).includes('bytes, left out of the log]')) return undefined;
    const identity = await identityOf(model, models).catch(() => undefined);
    if (identity === undefined) return undefined;
    const parts = [first, identity, input, code, repetition];
    return hashOf(namesakes === 0 ? parts : [...parts, namesakes]);
  };
}

/** Returns what decides which models answer: the one that a name stands for, and those of agents, too. */
async function identityOf(model: string | LanguageModel, settings: ModelSettings): Promise<object> {
  const variables = await modelVariables(settings);
  if (typeof model !== 'string') return { model: modelName(model), variables };
  const { expandModelName } = await loadModule('models', import('../models/resolve-model.ts'));
  return { model: expandModelName(model, settings), variables };
}

/** Variables of any provider. */
const VARIABLE = /^LM_MODEL_|_API_(?:BASE|TYPE)$/;

/** Returns the aliases, addresses and accounts of the environment, without keys. */
async function modelVariables({ env = processEnvironment() }: ModelSettings): Promise<object> {
  const { providers } = await loadModule('models', import('../models/providers.ts'));
  const named = new Set(
    Object.values(providers).flatMap(({ bases = [], account = {} }) => [...bases, ...Object.values(account)]),
  );
  const keys = new Set(secretsOf(env));
  const entries = Object.keys(env).flatMap((name) => {
    const value = VARIABLE.test(name) || named.has(name) ? readVariable(env, name) : undefined;
    return value === undefined || keys.has(value) ? [] : [[name, value]];
  });
  return Object.fromEntries(entries) as object;
}

/** Returns settings with the code of each function, because its identity is not the same in the next process. */
function codeOf(settings: object): object {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'function' ? String(value) : value,
    ]),
  );
}

function functionsOf(settings: object): object {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => typeof value === 'function'));
}
