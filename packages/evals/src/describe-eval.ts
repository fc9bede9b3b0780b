import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CuelineError } from '@cueline/core';
import {
  listRuns,
  runEval,
  type EvalDefinition,
  type EvalReport,
  type EvalResult,
  type EvalRun,
  type RunEvalOptions,
} from '@cueline/core/evals';
import { afterAll, describe, inject, test, type TestContext } from 'vitest';
import { openCassette, recordedKeys, saveCassettes, type FileCassette } from './file-cassette.ts';
import { fileEvalStore } from './file-eval-store.ts';
import { printable, printableLine } from './report/printable.ts';
import type { CommandSettings } from './settings.ts';

/** What {@link describeEval} takes besides the eval. */
export type DescribeEvalOptions<Input = unknown> = Omit<RunEvalOptions<Input>, 'signal' | 'onResult'> & {
  /**
   * Answers all models from this cassette: a path from the working directory, a URL, or what `openCassette` returns.
   */
  readonly cassette?: string | URL | FileCassette;
};

/**
 * Defines the tests of an eval in Vitest: one for each run, and if the eval has a threshold below 1, one for each
 * pass rate. The runs are made at the same time, as `concurrency` allows.
 * @throws CuelineError `invalid_definition`, `invalid_options`
 *
 * @example
 * // sentiment.eval.ts
 * describeEval(sentiment, { models: 'openai:gpt-4o', cassette: new URL('sentiment.cassette.json', import.meta.url) });
 */
export function describeEval<Input>(
  definition: EvalDefinition<Input>,
  options: DescribeEvalOptions<Input> = {},
): void {
  const command = inject('cueline') ?? {};
  const settled = settle(definition, options, command);
  const threshold = command.threshold ?? definition.threshold;
  const decides = command.comparesBaseline !== true;
  const runs = listRuns(definition, settled);
  const evaluation = createEvaluation({ ...definition, threshold }, settled);
  const title = titlesOf(runs);

  describe(definition.name, () => {
    for (const run of runs) {
      test.concurrent(title(run), { timeout: 0 }, async (context) => {
        evaluation.start(context);
        const result = await evaluation.result(run);
        context.task.meta.cueline = { kind: 'run', result };
        if (decides && threshold === 1 && result.status !== 'passed') throw failedRunError(result);
      });
    }
    if (decides && threshold < 1) {
      test(`passes ${percent(threshold)} of the runs`, { timeout: 0 }, async ({ skip }) => {
        if (!evaluation.started) skip();
        const { groups } = await evaluation.report();
        const low = groups.filter(({ passRate }) => passRate < threshold);
        if (low.length > 0) throw withoutStack(low.map(describeGroup).join('\n'));
      });
    }
    afterAll(async ({}, suite) => {
      if (!evaluation.started) return;
      const { results: _, ...report } = await evaluation.report();
      const isRecording = command.cassettes === 'record';
      suite.meta.cueline = { kind: 'eval', report, ...(isRecording ? { recorded: recordedKeys() } : {}) };
      saveCassettes();
    });
  });
}

/** Returns the options of `runEval` after those of the command. */
function settle<Input>(
  { prompt }: EvalDefinition<Input>,
  { cassette: source, ...options }: DescribeEvalOptions<Input>,
  { models: named, concurrency, repeat, store, fresh = false }: CommandSettings,
): RunEvalOptions<Input> {
  const cassette = cassetteOf(source);
  const models = named ?? options.models ?? (cassette === undefined ? undefined : prompt.model);
  if (cassette !== undefined && models === undefined) {
    throw new CuelineError(
      'invalid_options',
      `describeEval: "cassette" needs a model. Write { models: 'openai:gpt-4o', cassette: … }.`,
    );
  }
  const list = Array.isArray(models) ? models : [models];
  return {
    ...options,
    ...(models === undefined
      ? {}
      : { models: cassette === undefined ? models : list.map((model) => cassette.model(model)) }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(repeat === undefined ? {} : { repeat }),
    // a cassette already has all answers
    ...(options.store === undefined && store !== undefined && cassette === undefined
      ? { store: fileEvalStore(store, { fresh }) }
      : {}),
  };
}

function cassetteOf(source: string | URL | FileCassette | undefined): FileCassette | undefined {
  if (source === undefined || (typeof source === 'object' && 'model' in source)) return source;
  const path = typeof source === 'string' ? source : fileURLToPath(source);
  return openCassette(isAbsolute(path) ? path : resolve(path));
}

type Evaluation = {
  readonly started: boolean;
  /** Starts the runs that are not filtered out, once. A cancelled test stops all of them. */
  start(context: TestContext): void;
  result(run: EvalRun): Promise<EvalResult>;
  report(): Promise<EvalReport>;
};

function createEvaluation<Input>(
  definition: EvalDefinition<Input>,
  options: RunEvalOptions<Input>,
): Evaluation {
  let report: Promise<EvalReport> | undefined;
  const stop = new AbortController();
  const runs = listRuns(definition, options);
  const title = titlesOf(runs);
  /** What the test of each run waits for, also if Vitest runs a failed test again. */
  const pendingResults = new Map(runs.map((run) => [runKey(run), createPendingResult()]));

  return {
    get started() {
      return report !== undefined;
    },
    start({ task, signal }) {
      // of every test, because Vitest cancels those that still run, and the first one may have ended
      onCancel(signal, () => stop.abort(signal.reason));
      if (report !== undefined) return;
      const titles = new Set(
        task.suite?.tasks.filter(({ mode }) => mode !== 'skip' && mode !== 'todo').map(({ name }) => name),
      );
      report = runEval(definition, {
        ...options,
        signal: stop.signal,
        only: (one, run) => titles.has(title(run)) && (options.only?.(one, run) ?? true),
        onResult: (result) => pendingResults.get(runKey(result))?.fill(result),
      });
      // each test that waits reads the error itself
      report.catch(() => {});
    },
    result: (run) => {
      const pending = pendingResults.get(runKey(run))!;
      const stopped = report!.then(() => {
        throw withoutStack('The evaluation was stopped before this run ended.');
      });
      return Promise.race([pending.result, stopped]);
    },
    report: () => report!,
  };
}

/** Calls back if Vitest cancels the tests. A hook or a test that takes too long aborts the signal of its test, too. */
function onCancel(signal: AbortSignal, callback: () => void): void {
  const check = (): void => {
    if ((signal.reason as Error | undefined)?.name === 'TestRunAbortError') callback();
  };
  if (signal.aborted) check();
  else signal.addEventListener('abort', check, { once: true });
}

/** Where a result arrives, and where its test takes it, in any order. */
type PendingResult = {
  readonly result: Promise<EvalResult>;
  fill(result: EvalResult): void;
};

function createPendingResult(): PendingResult {
  let fill: (result: EvalResult) => void = () => {};
  const result = new Promise<EvalResult>((resolve) => (fill = resolve));
  return { result, fill };
}

function runKey({ caseId, repetition, model, prompt }: EvalRun): string {
  return JSON.stringify([caseId, repetition, model, prompt]);
}

/** Returns a function from a run to its title: the case, and what differs between its runs. */
function titlesOf(runs: readonly EvalRun[]): (run: EvalRun) => string {
  const varies = (name: 'model' | 'prompt' | 'repetition'): boolean =>
    new Set(runs.map((run) => run[name])).size > 1;
  const [models, prompts, repetitions] = [varies('model'), varies('prompt'), varies('repetition')];
  return ({ caseId, repetition, model, prompt }) =>
    [caseId, prompts && prompt, models && model, repetitions && `run ${repetition + 1}`]
      .filter((part) => part !== false)
      .map(printableLine)
      .join(' · ');
}

/** The error of a run that did not pass, for Vitest to show. */
function failedRunError({ status, error, scores, input, expect, output }: EvalResult): Error {
  const reasons =
    status === 'error'
      ? [error?.message ?? 'The run failed.']
      : scores
          .filter(({ pass }) => !pass)
          .map(({ scorer, score, reason }) => `${scorer}: ${reason ?? `score ${score}`}`);
  const shown = [...reasons, `input: ${JSON.stringify(input)}`];
  if (output !== undefined) shown.push(`output: ${shorten(output.text)}`);
  const failure = withoutStack(printable(shown.join('\n')));
  return typeof expect === 'string' && output !== undefined && status === 'failed'
    ? Object.assign(failure, { expected: printable(expect), actual: printable(output.text) })
    : failure;
}

function describeGroup({ prompt, model, passed, runs, passRate }: EvalReport['groups'][number]): string {
  return `${prompt}${model === '' ? '' : ` with ${model}`}: ${passed} of ${runs} runs pass (${percent(passRate)})`;
}

function percent(rate: number): string {
  return `${Math.round(rate * 1_000) / 10} %`;
}

function shorten(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}

/** An error without a stack, which would not show anything about the eval. */
function withoutStack(message: string): Error {
  const error = new Error(message);
  error.name = 'EvalError';
  error.stack = `EvalError: ${message}`;
  return error;
}
