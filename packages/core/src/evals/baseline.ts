import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import type { EvalReport, EvalResult } from './report.ts';
import { dropProbability, type PassCount } from './statistics.ts';

/** One model with one prompt, before and now, by the cases that both reports have. */
export type BaselineComparison = {
  readonly model: string;
  readonly prompt: string;
  readonly before: PassCount;
  readonly now: PassCount;
  /** The probability of a pass count this low if nothing has changed (Fisher's exact test, one-sided). */
  readonly probability: number;
  /** True if the pass rate has dropped significantly. */
  readonly dropped: boolean;
  /** True if there are too few runs: even a drop to no pass at all would not be significant. */
  readonly tooFewRuns: boolean;
  /** Cases of which all runs passed before, and none passes now. */
  readonly broken: readonly string[];
};

/** What {@link compareWithBaseline} takes besides the reports. */
export type BaselineOptions = {
  /**
   * The share of comparisons without any change that may still be reported as a drop. Default 0.05, for all groups
   * together (Bonferroni).
   */
  readonly significance?: number;
};

/**
 * Compares a report with an earlier one. Groups are matched by model and prompt, apart from the version of the
 * prompt; a baseline with one group only is compared with all.
 * @throws CuelineError `invalid_options` if nothing can be compared
 */
export function compareWithBaseline(
  report: EvalReport,
  baseline: EvalReport,
  options: BaselineOptions = {},
): BaselineComparison[] {
  checkNames('compareWithBaseline', options, ['significance'], 'invalid_options');
  const { significance = 0.05 } = options;
  const pairs = report.groups.flatMap((group) => {
    const name = promptName(group.prompt);
    const match =
      baseline.groups.find((other) => other.model === group.model && other.prompt === group.prompt) ??
      baseline.groups.findLast((other) => other.model === group.model && promptName(other.prompt) === name) ??
      (baseline.groups.length === 1 ? baseline.groups[0] : undefined);
    return match === undefined ? [] : [{ group, match }];
  });
  const compared = pairs.flatMap(({ group, match }) => {
    const [before, now] = [casesOf(baseline.results, match), casesOf(report.results, group)];
    const shared = [...now.keys()].filter((caseId) => before.has(caseId));
    return shared.length === 0 ? [] : [{ group, before, now, shared }];
  });
  if (compared.length === 0) {
    throw new CuelineError(
      'invalid_options',
      `The baseline of "${baseline.name}" has no case, model and prompt in common with this report of "${report.name}". Record a new baseline.`,
    );
  }
  return compared.map(({ group, before, now, shared }) => {
    const sums = { before: sumOf(shared, before), now: sumOf(shared, now) };
    const probability = dropProbability(sums.before, sums.now);
    const limit = significance / compared.length;
    return {
      model: group.model,
      prompt: group.prompt,
      ...sums,
      probability,
      dropped: probability < limit,
      // without a pass before, no drop is possible
      tooFewRuns: sums.before.passed > 0 && dropProbability(sums.before, { ...sums.now, passed: 0 }) >= limit,
      broken: shared.filter((caseId) => {
        const { passed, runs } = before.get(caseId)!;
        return passed === runs && now.get(caseId)!.passed === 0;
      }),
    };
  });
}

function promptName(prompt: string): string {
  return prompt.split('@')[0]!;
}

function casesOf(
  results: readonly EvalResult[],
  group: { model: string; prompt: string },
): Map<string, PassCount> {
  const counts = new Map<string, PassCount>();
  for (const { caseId, model, prompt, status } of results) {
    if (model !== group.model || prompt !== group.prompt) continue;
    const { passed, runs } = counts.get(caseId) ?? { passed: 0, runs: 0 };
    counts.set(caseId, { passed: passed + (status === 'passed' ? 1 : 0), runs: runs + 1 });
  }
  return counts;
}

function sumOf(cases: readonly string[], counts: ReadonlyMap<string, PassCount>): PassCount {
  const each = cases.map((caseId) => counts.get(caseId)!);
  return {
    passed: each.reduce((sum, { passed }) => sum + passed, 0),
    runs: each.reduce((sum, { runs }) => sum + runs, 0),
  };
}
