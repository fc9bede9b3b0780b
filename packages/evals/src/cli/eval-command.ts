import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadEnvFile } from 'node:process';
import type { parseArgs } from 'node:util';
import { CuelineError } from '@cueline/core';
import { thrownText } from '@cueline/core/server';
import 'vitest/config';
import { startVitest, version, type CliOptions, type InlineConfig } from 'vitest/node';
import { readEvalFile } from '../report/eval-file.ts';
import { hasSkippedAll } from '../report/has-skipped-all.ts';
import { EvalReporter } from '../reporter.ts';
import type { CommandSettings } from '../settings.ts';
import type { evalOptions } from './options.ts';
import { removeUnusedRecordings } from './unused-recordings.ts';

type Values = ReturnType<typeof parseArgs<{ options: typeof evalOptions }>>['values'];

/** Runs Vitest on the evals. @throws CuelineError `invalid_options` */
export async function runEvalCommand(files: readonly string[], values: Values): Promise<void> {
  const output = values.output ?? '.cueline';
  const settings = settingsOf(values, output);
  const reporters = reportersOf(values, output);
  checkVitest();
  loadEnvironment();
  const vitest = await startVitest(
    [...files],
    {
      watch: values.watch ?? false,
      include: ['**/*.eval.?(c|m)[jt]s?(x)'],
      passWithNoTests: false,
      reporters,
      // all tests of an eval wait at the same time, and the eval itself limits its runs
      maxConcurrency: Number.MAX_SAFE_INTEGER,
      teardownTimeout: 10_000,
      ...(values.config === undefined ? {} : { config: values.config }),
      ...(values.shard === undefined ? {} : { shard: values.shard }),
      ...(values['merge-reports'] === undefined ? {} : { mergeReports: values['merge-reports'] }),
      ...(values['test-name-pattern'] === undefined ? {} : { testNamePattern: values['test-name-pattern'] }),
    } satisfies CliOptions,
    { test: { provide: { cueline: settings } } },
  ).catch((error: unknown) => {
    // such as an unknown reporter, or a part that is not one of the shards
    throw new CuelineError('invalid_options', `Vitest cannot start: ${thrownText(error)}`, { cause: error });
  });
  if (values['test-name-pattern'] !== undefined && hasSkippedAll(vitest.state.getTestModules())) {
    console.error(`No case has a name that matches "${values['test-name-pattern']}".`);
    process.exitCode = 1;
  }
  if (recordsAll(files, values)) removeUnusedRecordings(vitest.state.getTestModules());
  if (values.watch !== true) await vitest.close();
}

/** True if the command sends every request that belongs into the cassettes. */
function recordsAll(files: readonly string[], { record, model, watch, ...values }: Values): boolean {
  const isPart = files.length > 0 || model !== undefined || values['merge-reports'] !== undefined;
  return record === true && !isPart && watch !== true;
}

/** Package managers install another version with no more than a warning. @throws CuelineError `invalid_options` */
function checkVitest(): void {
  if (version.startsWith('5.')) return;
  throw new CuelineError(
    'invalid_options',
    `cueline eval needs Vitest 5, and this folder has Vitest ${version}. Write: npm install -D vitest@5 (with Node 22.12 or newer)`,
  );
}

/** @throws CuelineError `invalid_options` */
function settingsOf(values: Values, output: string): CommandSettings {
  const { model, baseline } = values;
  if (values.record === true && values.extend === true) {
    throw new CuelineError('invalid_options', 'Pass --record or --extend, not both.');
  }
  const part = (['test-name-pattern', 'shard', 'watch'] as const).find((name) => values[name] !== undefined);
  if (part !== undefined && values['update-baseline'] !== undefined) {
    throw new CuelineError(
      'invalid_options',
      `A baseline needs all cases, and --${part} runs only some of them. Leave out --${part} or --update-baseline.`,
    );
  }
  if (part !== undefined && part !== 'watch' && values.record === true) {
    throw new CuelineError(
      'invalid_options',
      `--record needs the requests of all cases, and --${part} runs only some of them. Leave out --${part}, or pass --extend, which records what is missing.`,
    );
  }
  if (baseline !== undefined) readEvalFile(baseline);
  const threshold = numberOf('threshold', values.threshold, (value) => value >= 0 && value <= 1);
  const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1;
  const concurrency = numberOf('concurrency', values.concurrency, isCount);
  const repeat = numberOf('repeat', values.repeat, isCount);
  return {
    cassettes: values.record === true ? 'record' : values.extend === true ? 'extend' : 'replay',
    ...(model === undefined ? {} : { models: model }),
    ...(threshold === undefined ? {} : { threshold }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(repeat === undefined ? {} : { repeat }),
    ...(baseline === undefined ? {} : { comparesBaseline: true }),
    store: resolve(output, 'runs'),
    ...(values.fresh === true ? { fresh: true } : {}),
  };
}

function numberOf(
  name: string,
  text: string | undefined,
  isValid: (value: number) => boolean,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && isValid(value)) return value;
  const range = name === 'threshold' ? 'a number from 0 to 1' : 'a whole number of at least 1';
  throw new CuelineError('invalid_options', `--${name} is "${text}". Write ${range}.`);
}

function reportersOf(values: Values, output: string): NonNullable<InlineConfig['reporters']> {
  const names = values.reporter ?? ['html', 'json'];
  const own = new EvalReporter({
    html: names.includes('html') ? join(output, 'report.html') : undefined,
    json: names.includes('json') ? join(output, 'report.json') : undefined,
    baseline: values.baseline,
    updateBaseline: values['update-baseline'],
    playground: values.playground,
  });
  const others = names.filter((name) => name !== 'html' && name !== 'json');
  const files: Record<string, string> = {
    junit: join(output, 'junit.xml'),
    blob: join(output, 'shards', `${(values.shard ?? '1/1').replace('/', '-of-')}.json`),
  };
  const withFiles = others.map((name): [string, Record<string, unknown>] =>
    Object.hasOwn(files, name) ? [name, { outputFile: files[name] }] : [name, {}],
  );
  return [own, ...withFiles];
}

/** Keys that are in a file, as many tools keep them. */
function loadEnvironment(): void {
  for (const file of ['.env.local', '.env']) {
    if (existsSync(file)) loadEnvFile(file);
  }
}
