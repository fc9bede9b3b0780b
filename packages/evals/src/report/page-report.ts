import type { EvalReport, EvalResult } from '@cueline/core/evals';

/** A part of a text: in both texts (0), only in the output (1), or only in the expectation (-1). */
export type DiffPart = readonly [side: -1 | 0 | 1, text: string];

/** A result as the page reads it. */
export type PageResult = Omit<EvalResult, 'log'> & {
  readonly diff?: readonly DiffPart[];
  /** Opens the run in the playground. */
  readonly replay?: string;
  readonly log?: EvalResult['log'];
};

/** A report as the page reads it. */
export type PageReport = Omit<EvalReport, 'results'> & {
  readonly results: readonly PageResult[];
  /** The titles of the columns with the runs, one for each group. */
  readonly columns: readonly string[];
};
