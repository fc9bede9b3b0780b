import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { CuelineError } from '@cueline/core';
import type { EvalResult } from '@cueline/core/evals';
import type {
  Reporter,
  TestCase,
  TestModule,
  TestRunEndReason,
  TestSpecification,
  TestSuite,
  Vitest,
} from 'vitest/node';
import { compareEvals } from './report/compare.ts';
import { readEvalFile, type EvalFile } from './report/eval-file.ts';
import { hasSkippedAll } from './report/has-skipped-all.ts';
import { htmlReport } from './report/html.ts';
import { printable } from './report/printable.ts';
import { describeReport, describeResult } from './report/text.ts';
import './settings.ts';

/** Settings of {@link EvalReporter}. Paths are from the working directory. */
export type EvalReporterOptions = {
  /** Where the reports of all evals are written as JSON. */
  readonly json?: string | undefined;
  /** Where a page with all runs is written. */
  readonly html?: string | undefined;
  /** An earlier JSON report. A significant drop fails the command, or one from all runs to none. */
  readonly baseline?: string | undefined;
  /**
   * Where this report is written as the next baseline: without the logs of its runs, and not if the comparison with
   * `baseline` fails.
   */
  readonly updateBaseline?: string | undefined;
  /** The playground that the page opens runs in, such as `https://play.example/`. */
  readonly playground?: string | undefined;
  /** Whether a line shows how far the evaluation is. Default: if the output is a terminal. */
  readonly progress?: boolean | undefined;
};

/** How many failed runs are written to the output. All are in the files. */
const MAX_SHOWN = 20;

/**
 * A reporter of Vitest for evals: the progress, what failed, the figures of each eval, and reports as files.
 *
 * @example
 * // vitest.config.ts
 * export default defineConfig({ test: { reporters: ['default', new EvalReporter({ html: 'evals.html' })] } });
 */
export class EvalReporter implements Reporter {
  readonly #options: EvalReporterOptions;
  #vitest: Vitest | undefined;
  #counts = { done: 0, total: 0, passed: 0, failed: 0 };
  #shownAt = 0;

  /** @throws CuelineError `invalid_options` for a `playground` that is not an HTTP address */
  constructor(options: EvalReporterOptions = {}) {
    checkPlayground(options.playground);
    this.#options = options;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(_specifications: readonly TestSpecification[]): void {
    this.#counts = { done: 0, total: 0, passed: 0, failed: 0 };
  }

  onTestModuleCollected(module: TestModule): void {
    for (const _test of module.children.allTests()) this.#counts.total += 1;
    for (const error of module.errors())
      this.#print([`✗ ${module.relativeModuleId}: ${stripVTControlCharacters(error.message)}`]);
  }

  onTestCaseResult(test: TestCase): void {
    const { state } = test.result();
    const meta = test.meta().cueline;
    this.#counts.done += 1;
    if (state === 'skipped') return;
    const passed = meta?.kind === 'run' ? meta.result.status === 'passed' : state === 'passed';
    this.#counts[passed ? 'passed' : 'failed'] += 1;
    if (!passed) this.#showFailure(test);
    this.#showProgress();
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly { message: string }[],
    reason: TestRunEndReason,
  ): void {
    this.#clearProgress();
    if (modules.length === 0) {
      this.#print(['No file has evals. Name it like mood.eval.ts, or pass a part of its path.']);
      return;
    }
    for (const { message } of unhandledErrors) this.#print([`✗ ${stripVTControlCharacters(message)}`]);
    const evals = modules.flatMap((module) =>
      [...module.children.allSuites()].flatMap((suite) => reportOf(suite, module.relativeModuleId)),
    );
    const hidden = this.#counts.failed - MAX_SHOWN;
    if (hidden > 0) this.#print([`… and ${hidden} more that did not pass.`]);
    if (evals.length > 0) this.#print(['', ...evals.flatMap(describeReport)]);
    const { baseline, updateBaseline } = this.#options;
    // before a file is written, which may be the baseline itself
    const failure = baseline === undefined ? undefined : this.#compare(evals, baseline);
    // a filter by names may leave out the test of the pass rate
    if (baseline === undefined && evals.some(({ passed }) => !passed)) process.exitCode = 1;
    const obstacle =
      updateBaseline === undefined ? undefined : (whyIncomplete(modules, evals, reason) ?? failure);
    if (obstacle !== undefined) this.#print(['', `The baseline is not updated: ${obstacle}.`]);
    // the last report stays if no case was to run
    if (evals.length === 0 && hasSkippedAll(modules)) return;
    this.#write(evals, obstacle === undefined ? updateBaseline : undefined);
  }

  #write(evals: EvalFile['evals'], updateBaseline: string | undefined): void {
    const { json, html, playground } = this.#options;
    const file: EvalFile = { version: 1, evals };
    if (json !== undefined) writeText(json, JSON.stringify(file));
    if (html !== undefined) writeText(html, htmlReport(evals, { playground }));
    if (updateBaseline !== undefined) {
      const bare = evals.map((report) => ({
        ...report,
        results: report.results.map(({ log: _log, output: _output, input: _input, ...result }) => result),
      }));
      writeText(updateBaseline, `${JSON.stringify({ version: 1, evals: bare }, null, 1)}\n`);
    }
    const written = [json, html, updateBaseline].filter((path) => path !== undefined);
    if (written.length > 0) this.#print(['', `Written: ${written.join(', ')}`]);
  }

  /** Prints the comparison with a baseline. Returns why it fails the command; undefined if it passes. */
  #compare(evals: EvalFile['evals'], path: string): string | undefined {
    const baseline = this.#read(path);
    if (baseline === undefined) return 'the earlier one is not readable';
    const { lines, failure } = compareEvals({ version: 1, evals }, baseline);
    if (failure !== undefined) process.exitCode = 1;
    this.#print([
      '',
      `Compared with ${path}:`,
      ...lines,
      failure === undefined
        ? 'No pass rate is significantly lower, so the command passes.'
        : `${failure.charAt(0).toUpperCase()}${failure.slice(1)}, so the command fails.`,
    ]);
    return failure;
  }

  /** The command has checked the file, but it may have changed since. The other reports are written nevertheless. */
  #read(path: string): EvalFile | undefined {
    try {
      return readEvalFile(path);
    } catch (error) {
      this.#print(['', (error as Error).message]);
      process.exitCode = 1;
      return undefined;
    }
  }

  #showFailure(test: TestCase): void {
    if (this.#counts.failed > MAX_SHOWN) return;
    this.#clearProgress();
    const meta = test.meta().cueline;
    if (meta?.kind === 'run') {
      const { parent } = test;
      return this.#print(describeResult(parent.type === 'suite' ? parent.name : '', meta.result));
    }
    const [error] = test.result().errors ?? [];
    this.#print([`✗ ${test.fullName}`, `    ${error?.message ?? 'failed'}`]);
  }

  get #isTerminal(): boolean {
    return this.#options.progress ?? process.stdout.isTTY;
  }

  #showProgress(): void {
    const { done, total, passed, failed } = this.#counts;
    const now = Date.now();
    if (this.#isTerminal) {
      if (now - this.#shownAt < 50 && done < total) return;
      this.#shownAt = now;
      const width = 24;
      const filled = total === 0 ? 0 : Math.round((done / total) * width);
      const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
      process.stdout.write(`\r\x1b[2K${bar} ${done}/${total} · ${passed} passed · ${failed} failed`);
      return;
    }
    // a line every ten seconds, so that a log in CI shows that something happens
    if (now - this.#shownAt < 10_000) return;
    if (this.#shownAt > 0) this.#print([`${done}/${total} runs · ${passed} passed · ${failed} failed`]);
    this.#shownAt = now;
  }

  #clearProgress(): void {
    if (this.#isTerminal) process.stdout.write('\r\x1b[2K');
  }

  #print(lines: readonly string[]): void {
    this.#vitest?.logger.log(printable(lines.join('\n')));
  }
}

/** @throws CuelineError `invalid_options` */
function checkPlayground(address: string | undefined): void {
  if (address === undefined || /^https?:$/.test(URL.parse(address)?.protocol ?? '')) return;
  throw new CuelineError(
    'invalid_options',
    `The playground "${address}" is not an HTTP address. Write it with its protocol: https://play.example/ or http://localhost:5173/`,
  );
}

/** Why a report is not one of all evals, and would be a baseline without some of them; undefined if it is. */
function whyIncomplete(
  modules: readonly TestModule[],
  evals: EvalFile['evals'],
  reason: TestRunEndReason,
): string | undefined {
  if (reason === 'interrupted') return 'the evaluation was stopped before its end';
  const faulty = modules.find((module) => module.errors().length > 0);
  if (faulty !== undefined) return `${faulty.relativeModuleId} has an error`;
  const stopped = evals.find(({ aborted }) => aborted);
  if (stopped !== undefined) return `${stopped.name} was stopped before its end`;
  return evals.length === 0 ? 'no eval has run' : undefined;
}

/** Returns the report of a suite that `describeEval` defined. */
function reportOf(suite: TestSuite, file: string): EvalFile['evals'] {
  const meta = suite.meta().cueline;
  if (meta?.kind !== 'eval') return [];
  const results: EvalResult[] = [];
  for (const test of suite.children.allTests()) {
    const own = test.meta().cueline;
    if (own?.kind === 'run') results.push(own.result);
  }
  return [{ ...meta.report, file, results }];
}

function writeText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
