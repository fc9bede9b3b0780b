import { summarize, type EvalResult, type EvalSummary } from '@cueline/core/evals';
import { runKey, type EvalsState, type Evaluation } from './store.ts';

/** A version of a prompt on a model. */
export type Column = {
  readonly key: string;
  readonly prompt: string;
  readonly model: string;
  readonly summary: EvalSummary;
  /** Runs that have no result yet. */
  readonly pending: number;
  /** True if the results come from an earlier version of the page, and lack the tokens of their judge. */
  readonly lacksJudge: boolean;
};

/** The results of a case in one column, by repetition; undefined for a run that has not ended. */
export type Cell = readonly (EvalResult | undefined)[];

/** The results of one case. */
export type Row = {
  readonly id: string;
  readonly input: Readonly<Record<string, string>>;
  readonly expect: string;
  readonly cells: readonly Cell[];
};

/** The results as a table: cases × versions and models. */
export type ResultTable = { readonly columns: readonly Column[]; readonly rows: readonly Row[] };

/** Arranges the results of an evaluation. */
export function toTable({ settings, runs, results }: Evaluation): ResultTable {
  const columns = new Map<
    string,
    { prompt: string; model: string; results: EvalResult[]; pending: number }
  >();
  const cells = new Map<string, Map<string, (EvalResult | undefined)[]>>();
  for (const run of runs) {
    const { prompt, model, caseId } = run;
    const key = JSON.stringify([prompt, model]);
    const column = columns.get(key) ?? { prompt, model, results: [], pending: 0 };
    columns.set(key, column);
    const result = results.get(runKey(run));
    if (result === undefined) column.pending += 1;
    else column.results.push(result);
    const row = cells.get(caseId) ?? new Map<string, (EvalResult | undefined)[]>();
    cells.set(caseId, row);
    row.set(key, [...(row.get(key) ?? []), result]);
  }
  const cases = new Map(settings.cases.map((one) => [one.id, one]));
  return {
    columns: [...columns].map(([key, { results: own, ...column }]) => ({
      key,
      ...column,
      summary: summarize(own),
      lacksJudge: own.some(lacksJudge),
    })),
    rows: [...cells].map(([id, row]) => ({
      id,
      input: cases.get(id)?.input ?? {},
      expect: cases.get(id)?.expect ?? '',
      cells: [...columns.keys()].map((key) => row.get(key) ?? []),
    })),
  };
}

function lacksJudge({ scores, scorerUsage = [] }: EvalResult): boolean {
  // a second judge is called "judge 2"
  const judges = scores.filter(({ scorer }) => scorer.split(' ')[0] === 'judge');
  return judges.some(({ scorer }) => !scorerUsage.some((usage) => usage.scorer === scorer));
}

/** The rows that match the filter and the search. */
export function filterRows(
  rows: readonly Row[],
  { filter, search }: Pick<EvalsState, 'filter' | 'search'>,
): Row[] {
  const wanted = search.trim().toLowerCase();
  return rows.filter((row) => fits(row, filter) && (wanted === '' || textOf(row).includes(wanted)));
}

function fits({ cells }: Row, filter: EvalsState['filter']): boolean {
  const ended = cells.flat().filter((result) => result !== undefined);
  const has = (status: EvalResult['status']): boolean => ended.some((result) => result.status === status);
  switch (filter) {
    case 'all':
      return true;
    case 'passed':
      return ended.length > 0 && ended.every(({ status }) => status === 'passed');
    case 'failed':
      return has('failed');
    case 'errors':
      return has('error');
    case 'unstable':
      return cells.some((cell) => passRates([cell]).some((rate) => rate > 0 && rate < 1));
    case 'different':
      return new Set(passRates(cells)).size > 1;
  }
}

function passRates(cells: readonly Cell[]): number[] {
  return cells
    .map((cell) => {
      const ended = cell.filter((result) => result !== undefined);
      return ended.length === 0
        ? -1
        : ended.filter(({ status }) => status === 'passed').length / ended.length;
    })
    .filter((rate) => rate >= 0);
}

function textOf({ id, input, expect, cells }: Row): string {
  const outputs = cells.flat().map((result) => result?.output?.text ?? '');
  return [id, expect, ...Object.values(input), ...outputs].join('\n').toLowerCase();
}

/** A model without the name of its package: `gpt-5-mini`. */
export function modelTitle(model: string): string {
  return model.slice(model.indexOf(':') + 1) || model;
}
