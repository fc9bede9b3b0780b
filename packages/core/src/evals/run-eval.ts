import type { LanguageModel } from 'ai';
import { anySignal } from '../base/any-signal.ts';
import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { quoteValue } from '../base/quote-value.ts';
import type { ModelSettings } from '../models/settings.ts';
import { isPromptDefinition, type PromptDefinition } from '../prompt/define-prompt.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import { checkPrices, type EvalPrices } from './cost.ts';
import { isEvalDefinition, MAX_REPEAT, type EvalDefinition } from './define-eval.ts';
import type { EvalStore } from './eval-store.ts';
import { modelName, numberNamesakes, promptTitle } from './names.ts';
import { createRateLimitPause, type RateLimitPause } from './rate-limit-pause.ts';
import { summarize, type EvalGroup, type EvalReport, type EvalResult } from './report.ts';
import { runCase, type CaseRun } from './run-case.ts';
import { keysOf, type KeyOf } from './run-key.ts';
import type { EvalCase } from './scorer.ts';

/** The progress of an evaluation. */
export type EvalProgress = {
  readonly done: number;
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
};

/** One run of an eval: a case with a model and a prompt. */
export type EvalRun = Pick<EvalResult, 'caseId' | 'repetition' | 'model' | 'prompt'>;

/** What {@link runEval} takes besides the eval. */
export type RunEvalOptions<Input = unknown> = {
  /** Models, each of which runs all cases: `provider:model`, or models of the AI SDK. Default: the prompt's own. */
  readonly models?: string | LanguageModel | readonly (string | LanguageModel)[];
  /** Prompts instead of the eval's own, such as several versions of it. Each runs all cases. */
  readonly prompts?: readonly PromptDefinition<Input>[];
  /** Which runs are made. Default: all. */
  readonly only?: (evalCase: EvalCase<Input> & { readonly id: string }, run: EvalRun) => boolean;
  /** Default: that of the eval. */
  readonly repeat?: number;
  /** Runs at the same time, at least 1. Default 5. While a provider asks to wait, no further run starts. */
  readonly concurrency?: number;
  /** Milliseconds that a run may take, and each scorer after it. Default 120,000. */
  readonly timeout?: number;
  /** Ends the evaluation. Its report has the runs that ended before. */
  readonly signal?: AbortSignal;
  /**
   * Keeps the logs of the runs. A run whose first request, case, model, options, model settings and repetition are
   * those of an earlier one is not made again. Of the model settings, the aliases, addresses and accounts in the
   * environment are compared, and the code of functions in `providers`, `fetch` and `wrapModel`. The code of tools,
   * the prompts of agents, what later tasks add, and the settings of an AI SDK provider in `providers` are not: pass
   * another store once they have changed. The prompt function runs once more for each case, without a model, to
   * compare its request; it may take as long as a run. A run that sends a file over 260 kB is always made.
   */
  readonly store?: EvalStore;
  /** Prices by model, for the cost. */
  readonly prices?: EvalPrices;
  /** Which results keep the log of their run. Default: `failed`, which includes errors. */
  readonly logs?: 'failed' | 'all' | 'none';
  /** The options of each run, as for `runPrompt`. */
  readonly options?: PromptOptions;
  /** Called with each result, in the order in which the runs end. If it throws, the evaluation ends with its error. */
  readonly onResult?: (result: EvalResult, progress: EvalProgress) => void;
} & ModelSettings;

/** How long a run may take, and each scorer after it. */
const TIMEOUT_MS = 120_000;

/** One run that is to be made. */
type Job<Input> = {
  group: number;
  model: string | LanguageModel | undefined;
  /** How many models before it have the same name. */
  namesakes: number;
  prompt: PromptDefinition<Input>;
  /** In the report, where namesakes have a number. */
  names: { readonly model: string; readonly prompt: string };
  case: EvalCase<Input> & { readonly id: string };
  repetition: number;
};

/**
 * Runs all cases of an eval, and returns a report. A run that fails is part of the report and ends nothing.
 * @throws CuelineError `invalid_definition`, `invalid_options`
 *
 * @example
 * const report = await runEval(sentimentEval, { models: ['openai:gpt-4o', 'openai:gpt-4o-mini'] });
 * console.log(report.passed, report.groups.map(({ model, passRate, interval }) => [model, passRate, interval]));
 */
export async function runEval<Input>(
  definition: EvalDefinition<Input>,
  options: RunEvalOptions<Input> = {},
): Promise<EvalReport> {
  const { concurrency = 5, onResult } = options;
  const failure = new AbortController();
  const signal = anySignal(failure.signal, options.signal);
  const startedAt = new Date();
  const jobs = jobsOf(checkOptions(definition, options));
  const results: (EvalResult | undefined)[] = Array.from({ length: jobs.length });
  const counts = { passed: 0, failed: 0, error: 0 };
  const rateLimitPause = createRateLimitPause(signal);
  const keyOf = keysOf<Input>({
    options: options.options,
    models: modelSettingsOf(options),
    timeout: options.timeout ?? TIMEOUT_MS,
    signal,
  });
  const execute = async (job: Job<Input>, index: number): Promise<void> => {
    const result = await runJob(definition, job, { options, rateLimitPause, signal, keyOf });
    // an aborted run says nothing about the prompt
    if (result === undefined || failure.signal.aborted) return;
    results[index] = result;
    counts[result.status] += 1;
    const { passed, failed, error: errors } = counts;
    onResult?.(result, { done: passed + failed + errors, total: jobs.length, passed, failed, errors });
  };
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < jobs.length) {
      const index = next++;
      await rateLimitPause.ready();
      if (signal.aborted) return;
      await execute(jobs[index]!, index);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, jobs.length) }, work));
  } catch (error) {
    // such as an error of onResult: the remaining runs would cost, and no report would have them
    failure.abort(error);
    throw error;
  }
  return reportOf(definition, { jobs, results, startedAt });
}

/**
 * Returns the runs that {@link runEval} makes with these options, in the order of its report.
 * @throws CuelineError `invalid_definition`, `invalid_options`
 */
export function listRuns<Input>(
  definition: EvalDefinition<Input>,
  options: RunEvalOptions<Input> = {},
): EvalRun[] {
  return jobsOf(checkOptions(definition, options)).map(runOf);
}

function runOf<Input>({ case: { id }, repetition, names }: Job<Input>): EvalRun {
  return { caseId: id, repetition, ...names };
}

type Settings<Input> = {
  name: string;
  only: NonNullable<RunEvalOptions<Input>['only']>;
  models: readonly (string | LanguageModel | undefined)[];
  prompts: readonly PromptDefinition<Input>[];
  cases: EvalDefinition<Input>['cases'];
  repeat: number;
};

/** The options that say where models come from. */
const modelSettings = ['env', 'providers', 'fetch', 'packages', 'wrapModel'] as const;

const OPTION_NAMES = [
  'models',
  'prompts',
  'only',
  'repeat',
  'concurrency',
  'timeout',
  'signal',
  'store',
  'prices',
  'logs',
  'options',
  'onResult',
  ...modelSettings,
];

function checkOptions<Input>(
  definition: EvalDefinition<Input>,
  options: RunEvalOptions<Input>,
): Settings<Input> {
  if (!isEvalDefinition(definition)) {
    throw new CuelineError(
      'invalid_definition',
      `runEval takes what defineEval returns, but got ${quoteValue(definition)}. Write runEval(defineEval({ prompt, cases })).`,
    );
  }
  checkNames('runEval', options, OPTION_NAMES, 'invalid_options');
  const {
    models = [undefined],
    prompts = [definition.prompt],
    only = () => true,
    repeat = definition.repeat,
  } = options;
  checkCount('repeat', repeat, MAX_REPEAT);
  checkCount('concurrency', options.concurrency ?? 1);
  checkCount('timeout', options.timeout ?? 1);
  checkPrices(options.prices ?? {});
  const list = Array.isArray(models)
    ? (models as (string | LanguageModel | undefined)[])
    : [models as LanguageModel];
  if (list.length === 0) throw invalidOptionError('"models" is empty. Name a model, or leave it out.');
  if (prompts.length === 0)
    throw invalidOptionError('"prompts" is empty. Pass definitions, or leave it out.');
  const other = prompts.find((prompt) => !isPromptDefinition(prompt));
  if (other !== undefined)
    throw invalidOptionError(`"prompts" has ${quoteValue(other)}. Pass what definePrompt returns.`);
  return { name: definition.name, models: list, prompts, cases: definition.cases, repeat, only };
}

function checkCount(name: string, value: number, most = Infinity): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return;
  const range = most === Infinity ? 'of at least 1' : `from 1 to ${most}`;
  throw invalidOptionError(`"${name}" is ${quoteValue(value)}. Write a whole number ${range}.`);
}

function invalidOptionError(message: string): CuelineError {
  return new CuelineError('invalid_options', `runEval: ${message}`);
}

function jobsOf<Input>({ name, models, prompts, cases, repeat, only }: Settings<Input>): Job<Input>[] {
  const jobs: Job<Input>[] = [];
  let group = 0;
  const promptNames = numberNamesakes(prompts.map(promptTitle));
  for (const [promptIndex, prompt] of prompts.entries()) {
    const modelNames = numberNamesakes(models.map((model) => modelName(model ?? prompt.model)));
    for (const [index, model] of models.entries()) {
      const namesakes = models.slice(0, index).filter((one) => modelName(one) === modelName(model)).length;
      const names = { model: modelNames[index]!, prompt: promptNames[promptIndex]! };
      for (const evalCase of cases) {
        for (let repetition = 0; repetition < repeat; repetition++) {
          const job = { group, model, namesakes, prompt, names, case: evalCase, repetition };
          if (only(evalCase, runOf(job))) jobs.push(job);
        }
      }
      group += 1;
    }
  }
  if (jobs.length === 0) throw invalidOptionError(`"only" matches no run of eval "${name}".`);
  return jobs;
}

type JobContext<Input> = {
  options: RunEvalOptions<Input>;
  rateLimitPause: RateLimitPause;
  signal: AbortSignal;
  keyOf: KeyOf<Input>;
};

async function runJob<Input>(
  definition: EvalDefinition<Input>,
  job: Job<Input>,
  { options, rateLimitPause, signal, keyOf }: JobContext<Input>,
): Promise<EvalResult | undefined> {
  const { timeout = TIMEOUT_MS, store, prices, logs = 'failed', options: promptOptions } = options;
  const run: CaseRun<Input> = {
    prompt: job.prompt,
    case: job.case,
    scorers: definition.scorers,
    signal,
    timeout,
    rateLimitPause,
    prices,
    config: {
      model: job.model,
      options: promptOptions,
      ...modelSettingsOf(options),
    },
    store,
    key: store === undefined ? undefined : await keyOf(job),
  };
  const ended = await runCase(run);
  if (ended === undefined) return undefined;
  const { log, ...facts } = ended;
  const { expect, tags, mark } = job.case;
  const keepsLog = log !== undefined && (logs === 'all' || (logs === 'failed' && facts.status !== 'passed'));
  return {
    ...runOf(job),
    input: job.case.input,
    ...(expect === undefined ? {} : { expect: plainExpect(expect) }),
    ...(tags === undefined ? {} : { tags }),
    ...(mark === undefined ? {} : { mark }),
    ...facts,
    ...(keepsLog ? { log } : {}),
  };
}

function modelSettingsOf(options: ModelSettings): ModelSettings {
  return Object.fromEntries(
    modelSettings.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}

/** A report is JSON. */
function plainExpect(expect: unknown): unknown {
  return expect instanceof RegExp ? String(expect) : expect;
}

type Collected<Input> = {
  jobs: readonly Job<Input>[];
  results: readonly (EvalResult | undefined)[];
  startedAt: Date;
};

function reportOf<Input>(
  { name, threshold }: EvalDefinition<Input>,
  { jobs, results, startedAt }: Collected<Input>,
): EvalReport {
  const ended = results.filter((result) => result !== undefined);
  const byGroup = new Map<number, EvalResult[]>();
  for (const [index, { group }] of jobs.entries()) {
    const own = byGroup.get(group) ?? [];
    byGroup.set(group, own);
    if (results[index] !== undefined) own.push(results[index]);
  }
  const groups = [...byGroup].map(([number, own]): EvalGroup => {
    const { names, prompt } = jobs.find(({ group }) => group === number)!;
    return {
      ...names,
      ...(prompt.library === undefined ? {} : { version: prompt.library }),
      ...summarize(own),
    };
  });
  const aborted = ended.length < jobs.length;
  return {
    name,
    startedAt: startedAt.toISOString(),
    ms: Date.now() - startedAt.getTime(),
    threshold,
    passed: !aborted && groups.every(({ passRate }) => passRate >= threshold),
    aborted,
    groups,
    results: ended,
  };
}
