import type { LanguageModel } from 'ai';
import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { plural } from '../base/plural.ts';
import { quoteValue } from '../base/quote-value.ts';
import { withoutUndefined } from '../base/without-undefined.ts';
import { createPromptLibrary, type PromptLibrary } from '../library/create-library.ts';
import type { LibraryPrompt, PromptRecord } from '../library/prompt-record.ts';
import { nextVersion } from '../library/versions.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import { figuresOf, paretoFront, scoreOf, type ImproveCandidate, type ImproveFigures } from './candidates.ts';
import { isEvalDefinition, type EvalDefinition } from './define-eval.ts';
import { proposeTexts, type PromptTexts } from './propose-texts.ts';
import { createRandom, type Random } from './random.ts';
import { sumFigures, type EvalResult, type PricedUsage, type UsageFigures } from './report.ts';
import { runEval, type RunEvalOptions } from './run-eval.ts';

/** What {@link improve} may spend. */
export type ImproveBudget = {
  /** Runs of the prompt, with those on the held-out cases. */
  readonly runs: number;
  /** Proposals of the reflecting model. Default 20. */
  readonly proposals?: number;
};

/** What {@link improve} takes besides the eval. */
export type ImproveOptions = {
  /** The library that the eval's prompt is from. */
  readonly library: Pick<PromptLibrary, 'get' | 'list'>;
  /** The model that proposes texts: `provider:model`, or a model of the AI SDK. Use a strong one. */
  readonly reflection: string | LanguageModel;
  /** What the search may use. It ends when this is used up. */
  readonly budget: ImproveBudget;
  /** The model that runs the prompt. Default: the prompt's own. */
  readonly model?: string | LanguageModel;
  /** Which part of the cases is held out for the decision at the end, from 0 to 1. Default 0.5. */
  readonly heldOut?: number;
  /** Decides the split and each choice: the same seed and the same answers give the same result. Default 1. */
  readonly seed?: number;
  /** Called with each candidate that was run on all training cases. */
  readonly onCandidate?: (candidate: ImproveCandidate) => void;
} & Pick<RunEvalOptions, 'concurrency' | 'timeout' | 'signal' | 'store' | 'prices' | 'options'> &
  ModelSettings;

/** What {@link improve} found. */
export type Improvement = {
  /** The better prompt as a draft with a new version. Missing if none did better on the held-out cases. */
  readonly winner?: PromptRecord;
  /** All candidates, the prompt itself first. */
  readonly candidates: readonly ImproveCandidate[];
  /** The candidates that no other one beats in both score and tokens, the best score first. */
  readonly front: readonly ImproveCandidate[];
  /** What the search used: its runs with their scorers, and the proposals. A run from the store used nothing. */
  readonly spent: UsageFigures & { readonly runs: number; readonly proposals: number };
};

/** A candidate with its results on the training cases. */
type Measured = ImproveCandidate & {
  readonly results: readonly EvalResult[];
};

/** Cases on which a proposal must beat its parent before it is run on the others. */
const BATCH = 4;
/** Candidates that are compared with the prompt on the held-out cases. */
const FINALISTS = 2;
/** Proposals in a row that cannot be used, after which the search ends. */
const MAX_UNUSABLE_PROPOSALS = 5;

/**
 * Searches for better texts of a library's prompt. A model reads where the prompt fails on some of the cases and
 * proposes other texts; those that do better there are kept and improved further. At the end the best are compared
 * with the prompt on held-out cases, which no proposal was made from. The prompt itself is not changed.
 * @throws CuelineError `invalid_options`, `invalid_definition`, `unknown_prompt`; `aborted`
 *
 * @example
 * const { winner, front } = await improve(moodEval, { library, reflection: 'openai:gpt-4o', budget: { runs: 200 } });
 */
export async function improve<Input>(
  definition: EvalDefinition<Input>,
  options: ImproveOptions,
): Promise<Improvement> {
  const search = new Search(definition as EvalDefinition, options);
  return search.run();
}

const OPTION_NAMES = [
  'library',
  'reflection',
  'budget',
  'model',
  'heldOut',
  'seed',
  'onCandidate',
  'concurrency',
  'timeout',
  'signal',
  'store',
  'prices',
  'options',
  'env',
  'providers',
  'fetch',
  'packages',
  'wrapModel',
];

class Search {
  readonly #eval: EvalDefinition;
  readonly #options: ImproveOptions;
  readonly #random: Random;
  readonly #original: LibraryPrompt;
  readonly #train: readonly string[];
  readonly #heldOut: readonly string[];
  readonly #candidates: Measured[] = [];
  /** The texts that were proposed before. */
  readonly #known = new Set<string>();
  readonly #used: PricedUsage[] = [];
  #runs = 0;
  #proposals = 0;

  constructor(definition: EvalDefinition, options: ImproveOptions) {
    checkOptions(definition, options);
    this.#eval = definition;
    this.#options = options;
    this.#random = createRandom(options.seed ?? 1);
    this.#original = originalOf(definition, options.library);
    const ids = this.#random.shuffled(definition.cases.map(({ id }) => id));
    const count = Math.round(ids.length * heldOutPart(options.heldOut));
    if (count < 1 || ids.length - count < 1) {
      throw invalidOptionError(
        `eval "${definition.name}" has ${plural(ids.length, 'case')}, which cannot be split. Add cases, at least 4.`,
      );
    }
    this.#heldOut = ids.slice(0, count);
    this.#train = ids.slice(count);
    this.#checkBudget();
  }

  async run(): Promise<Improvement> {
    const record = toRecord(this.#original);
    this.#keep({ record, results: await this.#measure(record, this.#train) });
    let useless = 0;
    while (useless < MAX_UNUSABLE_PROPOSALS && this.#hasBudget()) {
      const parent = this.#chooseParent();
      // these cases leave nothing to improve
      if (parent.train.score === 1) break;
      useless = (await this.#tryProposal(parent)) ? 0 : useless + 1;
    }
    return this.#decide();
  }

  #checkBudget(): void {
    const { runs, proposals = 20 } = this.#options.budget ?? {};
    const { repeat } = this.#eval;
    const least = this.#reserve + 2 * this.#train.length * repeat;
    if (!Number.isInteger(runs) || runs < least) {
      throw invalidOptionError(
        `"budget.runs" is ${String(runs)}. This eval needs at least ${least}: ${this.#train.length} cases for the prompt and each proposal, ${this.#heldOut.length} held-out ones at the end${repeat > 1 ? `, each ${repeat} times` : ''}.`,
      );
    }
    if (!Number.isInteger(proposals) || proposals < 1) {
      throw invalidOptionError(
        `"budget.proposals" is ${String(proposals)}. Write a whole number of at least 1.`,
      );
    }
  }

  /** Runs that the comparison at the end needs. */
  get #reserve(): number {
    return this.#heldOut.length * (1 + FINALISTS) * this.#eval.repeat;
  }

  /** True if a proposal can be run on all cases for training. */
  #hasBudget(): boolean {
    const { runs, proposals = 20 } = this.#options.budget;
    const left = runs - this.#runs - this.#reserve;
    return this.#proposals < proposals && left >= this.#train.length * this.#eval.repeat;
  }

  /** Chooses among the candidates that are the best on some case, the more likely the more cases these are. */
  #chooseParent(): Measured {
    const leaders = this.#train.flatMap((id) => {
      const scores = this.#candidates.map((candidate) => scoreOf(candidate.results, [id]));
      const best = Math.max(...scores);
      return this.#candidates.filter((_, index) => scores[index] === best);
    });
    // of those, the ones that can still be better
    const open = leaders.filter(({ train }) => train.score < 1);
    return this.#candidates.find(({ train }) => train.score === 1) ?? this.#random.choice(open);
  }

  /** Returns false if the model proposed nothing that could be run. */
  async #tryProposal(parent: Measured): Promise<boolean> {
    const batch = this.#chooseBatch(parent);
    this.#proposals += 1;
    const { proposal, used } = await proposeTexts({
      prompt: parent.prompt,
      results: parent.results.filter(({ caseId }) => batch.includes(caseId)),
      model: this.#options.reflection,
      settings: modelSettings(this.#options),
      signal: this.#options.signal,
      prices: this.#options.prices,
    });
    this.#used.push(used);
    const record = proposal === undefined ? undefined : this.#toCandidate(parent.prompt, proposal.texts);
    if (record === undefined) return false;
    const first = await this.#measure(record, batch);
    if (scoreOf(first, batch) <= scoreOf(parent.results, batch)) return true;
    const others = this.#train.filter((id) => !batch.includes(id));
    const rest = others.length === 0 ? [] : await this.#measure(record, others);
    this.#keep({
      record,
      results: [...first, ...rest],
      parent: this.#candidates.indexOf(parent),
      reason: proposal!.reason,
    });
    return true;
  }

  /** Half of the batch are the cases on which the parent does worst. */
  #chooseBatch(parent: Measured): string[] {
    const shuffled = this.#random.shuffled(this.#train);
    const worst = shuffled
      .toSorted((one, other) => scoreOf(parent.results, [one]) - scoreOf(parent.results, [other]))
      .slice(0, BATCH / 2);
    return [...worst, ...shuffled.filter((id) => !worst.includes(id))].slice(0, BATCH);
  }

  #toCandidate(parent: PromptRecord, texts: PromptTexts): PromptRecord | undefined {
    const key = JSON.stringify([texts.systemPrompt, texts.userPrompt]);
    if (this.#known.has(key)) return undefined;
    this.#known.add(key);
    const version = `${nextVersion(this.#original.version)}-candidate.${this.#known.size}`;
    return { ...parent, ...texts, version, status: 'draft' };
  }

  async #measure(record: PromptRecord, ids: readonly string[]): Promise<EvalResult[]> {
    const { concurrency, timeout, signal, store, prices, options, model } = this.#options;
    const { results, aborted } = await runEval(this.#eval, {
      ...withoutUndefined({ concurrency, timeout, signal, store, prices, options }),
      ...modelSettings(this.#options),
      ...(model === undefined ? {} : { models: model }),
      prompts: [this.#definitionOf(record)],
      only: ({ id }) => ids.includes(id),
      logs: 'none',
    });
    if (aborted) throw new CuelineError('aborted', 'The search was stopped.');
    this.#runs += results.length;
    this.#used.push(...results.flatMap(usedBy));
    return [...results];
  }

  #definitionOf(record: PromptRecord): PromptDefinition<unknown> {
    const { model, plugins, output, tools } = this.#eval.prompt;
    return createPromptLibrary([record]).definePrompt(
      `${record.id}@${record.version}` as never,
      withoutUndefined({ model, plugins, output, tools }) as never,
    ) as unknown as PromptDefinition<unknown>;
  }

  #keep({
    record,
    results,
    parent,
    reason,
  }: {
    record: PromptRecord;
    results: readonly EvalResult[];
    parent?: number;
    reason?: string;
  }): void {
    this.#known.add(JSON.stringify([record.systemPrompt ?? '', record.userPrompt]));
    const candidate: Measured = {
      prompt: record,
      ...withoutUndefined({ parent, reason }),
      train: figuresOf(results),
      results,
    };
    this.#candidates.push(candidate);
    this.#options.onCandidate?.(publicOf(candidate));
  }

  async #decide(): Promise<Improvement> {
    const [base, ...others] = this.#candidates as [Measured, ...Measured[]];
    const finalists = others
      .filter(({ train }) => train.score > base.train.score)
      .toSorted((one, other) => other.train.score - one.train.score || one.train.tokens - other.train.tokens)
      .slice(0, FINALISTS);
    const heldOut = new Map<Measured, ImproveFigures>();
    if (finalists.length > 0) {
      for (const candidate of [base, ...finalists]) {
        heldOut.set(candidate, figuresOf(await this.#measure(candidate.prompt, this.#heldOut)));
      }
    }
    const scoreOnHeldOut = (candidate: Measured): number => heldOut.get(candidate)!.score;
    const [best] = finalists.toSorted((one, other) => scoreOnHeldOut(other) - scoreOnHeldOut(one));
    const candidates = this.#candidates.map((candidate) => {
      const figures = heldOut.get(candidate);
      return figures === undefined ? publicOf(candidate) : { ...publicOf(candidate), heldOut: figures };
    });
    const wins = best !== undefined && scoreOnHeldOut(best) > scoreOnHeldOut(base);
    return {
      ...(wins ? { winner: this.#toDraft(best.prompt) } : {}),
      candidates,
      front: paretoFront(candidates),
      spent: { runs: this.#runs, proposals: this.#proposals, ...sumFigures(this.#used) },
    };
  }

  /** Returns a version after all those in the library. */
  #toDraft(prompt: PromptRecord): PromptRecord {
    const { id, version, metadata } = this.#original;
    const newest = this.#options.library.list().find((other) => other.id === id)?.version ?? version;
    return {
      ...prompt,
      version: nextVersion(newest),
      status: 'draft',
      metadata: { ...metadata, improvedFrom: `${id}@${version}` },
    };
  }
}

function checkOptions(definition: EvalDefinition, options: ImproveOptions | undefined): void {
  if (!isEvalDefinition(definition)) {
    throw new CuelineError(
      'invalid_definition',
      `improve takes what defineEval returns, but got ${quoteValue(definition)}. Write improve(defineEval({ prompt, cases }), { library, reflection, budget }).`,
    );
  }
  checkNames('improve', options, OPTION_NAMES, 'invalid_options');
  if (typeof options?.library?.get !== 'function')
    throw invalidOptionError('"library" is missing. Pass the library that the prompt is from.');
  if (options.reflection === undefined)
    throw invalidOptionError(`"reflection" is missing. Name the model that proposes texts: 'openai:gpt-4o'.`);
}

function originalOf(definition: EvalDefinition, library: ImproveOptions['library']): LibraryPrompt {
  const { prompt, name } = definition;
  if (prompt?.library === undefined) {
    throw invalidOptionError(
      `eval "${name}" has a prompt that is written in code. Only the texts of a library's prompt can be improved: defineEval({ prompt: library.definePrompt('greet') }).`,
    );
  }
  const original = library.get(prompt.library.id, prompt.library.version);
  if (original.remote === true) {
    throw invalidOptionError(
      `the texts of prompt "${original.id}" are on its MCP server, and can only be improved there.`,
    );
  }
  return original;
}

function heldOutPart(part = 0.5): number {
  if (typeof part === 'number' && part > 0 && part < 1) return part;
  throw invalidOptionError(`"heldOut" is ${String(part)}. Write a number between 0 and 1, such as 0.5.`);
}

function invalidOptionError(message: string): CuelineError {
  return new CuelineError('invalid_options', `improve: ${message}`);
}

function toRecord({ hash: _hash, remote: _remote, ...prompt }: LibraryPrompt): PromptRecord {
  return prompt;
}

/** What a result used now. A run that called no model needs no price. */
function usedBy({ stored, usage, cost, scorerUsage = [] }: EvalResult): PricedUsage[] {
  const parts = [...(stored ? [] : [{ ...usage, cost }]), ...scorerUsage];
  return parts.filter(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0);
}

function publicOf({ results: _results, ...candidate }: Measured): ImproveCandidate {
  return candidate;
}

function modelSettings({ env, providers, fetch, packages, wrapModel }: ImproveOptions): ModelSettings {
  return withoutUndefined({ env, providers, fetch, packages, wrapModel });
}
