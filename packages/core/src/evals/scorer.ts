import type { RunState } from '../log/state.ts';
import type { EvalOutput } from './eval-output.ts';
import type { ModelUsage } from './scorer-usage.ts';

/** One input of a prompt, and what is expected of the answer. */
export type EvalCase<Input = unknown> = {
  /** Unique in its eval; the reports and the baseline use it. Default: `case-1`, `case-2`, … */
  readonly id?: string;
  readonly input: Input;
  /** What the scorers compare the output with. */
  readonly expect?: unknown;
  /** For filters. */
  readonly tags?: readonly string[];
  /** Whether a person accepts the answer. The report states how far each scorer agrees with people. */
  readonly mark?: boolean;
};

/** What a scorer judges. */
export type ScoreContext<Input = unknown> = {
  /** The input of the case. */
  readonly input: Input;
  /** What the case expects. Undefined if it expects nothing. */
  readonly expect: unknown;
  /** The answer of the run. */
  readonly output: EvalOutput;
  /** The final state of the run. */
  readonly state: RunState;
  /** Aborted when the evaluation is, and once the scorer has taken longer than the `timeout` of the evaluation. */
  readonly signal: AbortSignal;
  /** Adds the tokens of a model call of the scorer to the figures, also if the scorer then throws. */
  readonly onUsage?: (usage: ModelUsage) => void;
};

/**
 * A score from 0 to 1. True is 1 and false is 0. A number passes from 0.5 on, unless `pass` says otherwise.
 */
export type ScoreValue =
  | boolean
  | number
  | { readonly score: number; readonly pass?: boolean; readonly reason?: string };

/** Judges the output of a run. */
export type Scorer<Input = unknown> = {
  readonly name: string;
  score(context: ScoreContext<Input>): ScoreValue | Promise<ScoreValue>;
};
