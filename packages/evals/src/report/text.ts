import type { BaselineComparison, EvalGroup, EvalReport, EvalResult, EvalUsage } from '@cueline/core/evals';
import { printable, printableLine } from './printable.ts';

const percent = (rate: number): string => `${Math.round(rate * 100)} %`;
const seconds = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;

/** Returns the figures of a report as lines of text. */
export function describeReport(report: EvalReport): string[] {
  return [
    `${report.passed ? '✓' : '✗'} ${printableLine(report.name)}${report.aborted ? ' (stopped)' : ''}`,
    ...report.groups.flatMap(describeGroup),
  ];
}

function describeGroup(group: EvalGroup): string[] {
  const { model, prompt, runs, passed, errors, passRate, interval, latency, usage, cost, scoring, stored } =
    group;
  const unpriced = cost !== undefined && scoring?.cost === undefined ? ' without a price' : '';
  const facts = [
    `${passed}/${runs} passed, ${percent(passRate)} (${Math.round(interval.low * 100)}–${percent(interval.high)})`,
    ...(errors > 0 ? [plural(errors, 'error')] : []),
    `p50 ${seconds(latency.p50)}, p95 ${seconds(latency.p95)}`,
    describeTokens(usage, cost),
    ...(scoring === undefined ? [] : [`scorers: ${describeTokens(scoring.usage, scoring.cost)}${unpriced}`]),
    ...(stored > 0 ? [`${stored} from earlier runs`] : []),
  ];
  return [
    `  ${prompt}${model === '' ? '' : ` · ${model}`}: ${facts.join(' · ')}`,
    ...(group.unstable.length > 0 ? [`    sometimes passes: ${list(group.unstable)}`] : []),
    ...group.agreement.map(
      ({ scorer, marked, agreed, kappa }) =>
        `    ${scorer} agrees with people on ${agreed} of ${plural(marked, 'answer')} (kappa ${kappa.toFixed(2)})`,
    ),
  ];
}

/** `1 error`, `2 errors`. */
function plural(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

function describeTokens({ inputTokens, outputTokens }: EvalUsage, cost: number | undefined): string {
  const tokens = plural(inputTokens + outputTokens, 'token');
  return cost === undefined ? tokens : `${tokens}, cost ${cost.toPrecision(3)}`;
}

/** Returns the title of an eval with one model and one prompt. */
export function groupTitle(
  name: string,
  { model, prompt }: { readonly model: string; readonly prompt: string },
): string {
  return `${printableLine(name)}, ${prompt}${model === '' ? '' : ` · ${model}`}`;
}

/** Returns a comparison with a baseline as lines of text. */
export function describeComparison(name: string, comparison: BaselineComparison, fails: boolean): string[] {
  const { before, now, probability, dropped, tooFewRuns, broken } = comparison;
  const rate = ({ passed, runs }: { passed: number; runs: number }): string =>
    `${passed}/${runs} (${percent(passed / runs)})`;
  return [
    `${fails ? '✗' : '✓'} ${groupTitle(name, comparison)}: ${rate(before)} → ${rate(now)}, ` +
      (dropped ? `a significant drop (p = ${probability.toPrecision(2)})` : 'no significant drop'),
    ...(tooFewRuns ? [' too few runs to detect a drop: pass --repeat, for the baseline, too'] : []),
    ...(broken.length > 0 ? [`    no longer pass: ${list(broken)}`] : []),
  ];
}

/** Returns a run that did not pass as lines of text. */
export function describeResult(evalName: string, result: EvalResult): string[] {
  const { caseId, model, prompt, repetition, status, error, scores, output } = result;
  const where = [prompt, model, ...(repetition > 0 ? [`run ${repetition + 1}`] : [])].filter(Boolean);
  return [
    `✗ ${printableLine(evalName)} › ${printableLine(caseId)} (${where.join(' · ')})`,
    ...(status === 'error' ? [`    ${printable(error?.message ?? 'The run failed.')}`] : []),
    ...scores
      .filter(({ pass }) => !pass)
      .map(({ scorer, reason, score }) => `    ${scorer}: ${oneLine(reason ?? `score ${score}`)}`),
    ...(output === undefined ? [] : [`    output: ${oneLine(output.text)}`]),
  ];
}

function oneLine(text: string): string {
  const line = printableLine(text);
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, 10).map(printableLine).join(', ');
  return names.length > 10 ? `${shown}, and ${names.length - 10} more` : shown;
}
