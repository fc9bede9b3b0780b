import { compareWithBaseline, type EvalReport } from '@cueline/core/evals';
import type { EvalFile } from './eval-file.ts';
import { describeComparison, groupTitle } from './text.ts';

/** What a comparison with a baseline found. */
export type ComparedEvals = {
  readonly lines: readonly string[];
  /** Why it fails the command; undefined if it passes. */
  readonly failure: string | undefined;
};

/** Reasons why a comparison fails the command, the first one first. */
const failures = {
  dropped: 'a pass rate is significantly lower',
  gone: 'all runs of a prompt passed before, and none passes now',
  incomparable: 'an eval cannot be compared with the baseline',
} as const;

/** Compares evals with those of a baseline. */
export function compareEvals({ evals }: EvalFile, baseline: EvalFile): ComparedEvals {
  const lines: string[] = [];
  const found = new Set<keyof typeof failures>();
  for (const [report, before] of pairEvals(evals, baseline.evals)) {
    if (before === undefined) {
      lines.push(`  ${report.name}: not in the baseline`);
      continue;
    }
    try {
      const comparisons = compareWithBaseline(report, before);
      for (const { model, prompt } of report.groups) {
        const comparison = comparisons.find((one) => one.model === model && one.prompt === prompt);
        if (comparison === undefined) {
          lines.push(`  ${groupTitle(report.name, { model, prompt })}: not in the baseline`);
          continue;
        }
        const { before: earlier, now, dropped } = comparison;
        // also with too few runs for a significant drop
        const isGone = earlier.passed === earlier.runs && now.passed === 0;
        if (dropped) found.add('dropped');
        else if (isGone) found.add('gone');
        lines.push(...describeComparison(report.name, comparison, dropped || isGone));
      }
    } catch (error) {
      lines.push(`  ${report.name}: ${(error as Error).message}`);
      found.add('incomparable');
    }
  }
  const reason = (['dropped', 'gone', 'incomparable'] as const).find((one) => found.has(one));
  return { lines, failure: reason === undefined ? undefined : failures[reason] };
}

/** Pairs evals with those of the same name in a baseline: first by their files, then in their order. */
function pairEvals(
  evals: EvalFile['evals'],
  baseline: EvalFile['evals'],
): [report: EvalReport, before: EvalReport | undefined][] {
  const left = [...baseline];
  const take = (fits: (one: EvalFile['evals'][number]) => boolean): EvalReport | undefined => {
    const index = left.findIndex(fits);
    return index === -1 ? undefined : left.splice(index, 1)[0];
  };
  const ofFile = evals.map(({ name, file }) =>
    file === undefined ? undefined : take((one) => one.name === name && one.file === file),
  );
  return evals.map((report, index) => [report, ofFile[index] ?? take(({ name }) => name === report.name)]);
}
