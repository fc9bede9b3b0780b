import type { PromptRecord } from '../library/prompt-record.ts';
import type { EvalResult } from './report.ts';

/** The figures of a candidate on some cases. */
export type ImproveFigures = {
  /** The mean score of all runs, from 0 to 1. A run with an error is 0. */
  readonly score: number;
  /** The mean number of tokens of a run. */
  readonly tokens: number;
  readonly passed: number;
  readonly runs: number;
};

/** A variant of the prompt's texts. */
export type ImproveCandidate = {
  readonly prompt: PromptRecord;
  /** The index in `candidates` of its parent. Missing for the first one, the prompt itself. */
  readonly parent?: number;
  /** What the reflecting model changed, in its words. */
  readonly reason?: string;
  readonly train: ImproveFigures;
  /** Only for the prompt itself and for the candidates that were compared at the end. */
  readonly heldOut?: ImproveFigures;
};

/** Returns the mean score on some cases. */
export function scoreOf(results: readonly EvalResult[], ids: readonly string[]): number {
  return figuresOf(results.filter(({ caseId }) => ids.includes(caseId))).score;
}

/** Returns the figures of some runs. */
export function figuresOf(results: readonly EvalResult[]): ImproveFigures {
  const mean = (valueOf: (result: EvalResult) => number): number =>
    results.length === 0 ? 0 : results.reduce((sum, result) => sum + valueOf(result), 0) / results.length;
  return {
    score: mean(({ status, scores }) =>
      status === 'error' || scores.length === 0
        ? 0
        : scores.reduce((sum, { score }) => sum + score, 0) / scores.length,
    ),
    tokens: mean(({ usage }) => usage.inputTokens + usage.outputTokens),
    passed: results.filter(({ status }) => status === 'passed').length,
    runs: results.length,
  };
}

/** Returns the candidates that no other one beats in both score and tokens, the best score first. */
export function paretoFront(candidates: readonly ImproveCandidate[]): ImproveCandidate[] {
  const beats = (one: ImproveFigures, other: ImproveFigures): boolean =>
    one.score >= other.score &&
    one.tokens <= other.tokens &&
    (one.score > other.score || one.tokens < other.tokens);
  return candidates
    .filter(({ train }) => !candidates.some((other) => beats(other.train, train)))
    .toSorted((one, other) => other.train.score - one.train.score);
}
