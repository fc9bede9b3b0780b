import type { SerializedError } from '../base/errors.ts';
import type { PromptVersion, RunEvent } from '../log/events.ts';
import type { EvalOutput } from './eval-output.ts';
import type { ScorerUsage } from './scorer-usage.ts';
import { cohensKappa, percentile, wilsonInterval, type Interval } from './statistics.ts';

/** The score of one scorer. */
export type EvalScore = {
  readonly scorer: string;
  /** From 0 to 1. */
  readonly score: number;
  readonly pass: boolean;
  readonly reason?: string;
};

/** Tokens of a run, or of several. */
export type EvalUsage = { readonly inputTokens: number; readonly outputTokens: number };

/** What model calls used, such as those of scorers. */
export type UsageFigures = {
  readonly usage: EvalUsage;
  /** Missing without a price for each model. */
  readonly cost?: number;
};

/** One run of one case. JSON. */
export type EvalResult = {
  readonly caseId: string;
  /** From 0. */
  readonly repetition: number;
  /**
   * The model's name: the text that was passed, or `provider:model` of a model object. A second model with the same
   * name has a 2 after it: `openai:gpt-4o 2`.
   */
  readonly model: string;
  /** The name of the prompt, with the version of a library's prompt: `classify@1.0.0`. A second one is `… 2`. */
  readonly prompt: string;
  /** `error`: the run has no answer, or a scorer threw. */
  readonly status: 'passed' | 'failed' | 'error';
  readonly input: unknown;
  readonly expect?: unknown;
  readonly output?: EvalOutput;
  readonly scores: readonly EvalScore[];
  readonly error?: SerializedError;
  readonly tags?: readonly string[];
  /** Whether a person accepts the answer, as the case says. */
  readonly mark?: boolean;
  /** Of the run, without its scorers. */
  readonly usage: EvalUsage;
  /** Of the run, in the currency of the prices; missing without a price for each of its models. */
  readonly cost?: number;
  /** Of the model calls of each scorer, such as a judge; missing if no scorer called a model. */
  readonly scorerUsage?: readonly ScorerUsage[];
  /** Milliseconds from the start of the run to its end. */
  readonly ms: number;
  /** True if the run was in the store. */
  readonly stored: boolean;
  /** The events of the run, for a replay. */
  readonly log?: readonly RunEvent[];
};

/** How far a scorer agrees with the people who marked answers. */
export type Agreement = {
  readonly scorer: string;
  readonly marked: number;
  readonly agreed: number;
  /** Cohen's kappa: 1 is full agreement, 0 is that of chance. */
  readonly kappa: number;
};

/** The figures of some runs. */
export type EvalSummary = {
  readonly runs: number;
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  /** `passed / runs`; 0 without runs. */
  readonly passRate: number;
  /** Contains the true pass rate with 95 % confidence (Wilson). */
  readonly interval: Interval;
  /** The mean score of each scorer. */
  readonly scores: Readonly<Record<string, number>>;
  /** Cases that passed in some repetitions and not in others. */
  readonly unstable: readonly string[];
  /** Of the runs, without their scorers. */
  readonly usage: EvalUsage;
  /** Of the runs, without their scorers; missing if a run has none. */
  readonly cost?: number;
  /** Of the scorers; missing if no scorer called a model. */
  readonly scoring?: UsageFigures;
  /** Milliseconds of a run. */
  readonly latency: { readonly p50: number; readonly p95: number; readonly max: number };
  /** Runs that were in the store. */
  readonly stored: number;
  readonly agreement: readonly Agreement[];
};

/** The figures of one model with one prompt. */
export type EvalGroup = EvalSummary & {
  readonly model: string;
  readonly prompt: string;
  /** The version of a library's prompt. */
  readonly version?: PromptVersion;
};

/** What an evaluation found. JSON. */
export type EvalReport = {
  readonly name: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly ms: number;
  readonly threshold: number;
  /** True if the pass rate of every group reaches the threshold, and the evaluation was not aborted. */
  readonly passed: boolean;
  /** True if it was aborted before all runs had ended. */
  readonly aborted: boolean;
  /** One for each model with each prompt. */
  readonly groups: readonly EvalGroup[];
  /** By group, case and repetition. */
  readonly results: readonly EvalResult[];
};

/** Returns the figures of some runs. */
export function summarize(results: readonly EvalResult[]): EvalSummary {
  const runs = results.length;
  const count = (status: EvalResult['status']): number =>
    results.filter((result) => result.status === status).length;
  const passed = count('passed');
  const times = results.map(({ ms }) => ms);
  const scorerUsage = results.flatMap(({ scorerUsage = [] }) => scorerUsage);
  return {
    runs,
    passed,
    failed: count('failed'),
    errors: count('error'),
    passRate: runs === 0 ? 0 : passed / runs,
    interval: wilsonInterval(passed, runs),
    scores: meanScores(results),
    unstable: unstableCases(results),
    ...sumFigures(results.map(({ usage, cost }) => ({ ...usage, cost }))),
    ...(scorerUsage.length === 0 ? {} : { scoring: sumFigures(scorerUsage) }),
    latency: { p50: percentile(times, 0.5), p95: percentile(times, 0.95), max: percentile(times, 1) },
    stored: results.filter(({ stored }) => stored).length,
    agreement: agreements(results),
  };
}

/** Tokens with their cost, if there is a price. */
export type PricedUsage = EvalUsage & { readonly cost?: number | undefined };

/** Adds up tokens and costs. The sum has no cost if a part has none. */
export function sumFigures(parts: readonly PricedUsage[]): UsageFigures {
  const total = (of: (part: (typeof parts)[number]) => number): number =>
    parts.reduce((sum, part) => sum + of(part), 0);
  const isPriced = parts.every(({ cost }) => cost !== undefined);
  return {
    usage: {
      inputTokens: total(({ inputTokens }) => inputTokens),
      outputTokens: total(({ outputTokens }) => outputTokens),
    },
    ...(isPriced ? { cost: total(({ cost = 0 }) => cost) } : {}),
  };
}

function meanScores(results: readonly EvalResult[]): Record<string, number> {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const { scorer, score } of results.flatMap(({ scores }) => scores)) {
    const { sum, count } = sums.get(scorer) ?? { sum: 0, count: 0 };
    sums.set(scorer, { sum: sum + score, count: count + 1 });
  }
  return Object.fromEntries([...sums].map(([scorer, { sum, count }]) => [scorer, sum / count]));
}

function unstableCases(results: readonly EvalResult[]): string[] {
  const outcomes = new Map<string, Set<boolean>>();
  for (const { caseId, status } of results) {
    outcomes.set(caseId, (outcomes.get(caseId) ?? new Set()).add(status === 'passed'));
  }
  return [...outcomes].filter(([, seen]) => seen.size > 1).map(([caseId]) => caseId);
}

function agreements(results: readonly EvalResult[]): Agreement[] {
  const pairs = new Map<string, [boolean, boolean][]>();
  for (const { mark, scores } of results) {
    if (mark === undefined) continue;
    for (const { scorer, pass } of scores) {
      pairs.set(scorer, [...(pairs.get(scorer) ?? []), [mark, pass]]);
    }
  }
  return [...pairs].map(([scorer, all]) => ({
    scorer,
    marked: all.length,
    agreed: all.filter(([mark, pass]) => mark === pass).length,
    kappa: cohensKappa(all),
  }));
}
