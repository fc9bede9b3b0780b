// More of the command in processes of its own; command.test.ts has what runs every time.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CassetteData } from '@cueline/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EvalFile } from '../src/report/eval-file.ts';
import { startModelServer, type ModelServer } from './model-server.ts';
import { project, runCommand, startCommand } from './run-command.ts';

let server: ModelServer;
let folder: string;
beforeEach(async () => {
  server = await startModelServer();
  folder = mkdtempSync(join(project, '.output-'));
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string): string => readFileSync(join(folder, name), 'utf8');
const evaluate = (...args: string[]): ReturnType<typeof runCommand> =>
  runCommand(['eval', '--output', folder, ...args], server.env);

test('a case that fails does not count if it is filtered out', { timeout: 180_000 }, async () => {
  server.answer((request) => (/joyful|sad/.test(request) ? 'NEGATIVE' : 'POSITIVE'));
  expect(await evaluate('mood')).toMatchObject({ code: 1 });
  expect(await evaluate('mood', '-t', 'base|different')).toMatchObject({ code: 0 });
});

test(
  'if selected cases fail, the exit code is 1 even with a threshold; if no case is selected, the last report stays',
  { timeout: 180_000 },
  async () => {
    server.answer((request) => (request.includes('joyful') ? 'NEGATIVE' : 'POSITIVE'));
    const threshold = ['--threshold', '0.5'];
    const failed = await evaluate('mood', '-t', 'same', ...threshold);
    expect(failed, failed.output).toMatchObject({ code: 1 });
    expect(await evaluate('mood', '-t', 'base', ...threshold)).toMatchObject({ code: 0 });
    const report = file('report.json');
    const none = await evaluate('mood', '-t', 'glad', ...threshold);
    expect(none.code).toBe(1);
    expect(none.output).toContain('No case has a name that matches "glad".');
    expect(none.output).not.toContain('Written:');
    expect(file('report.json')).toBe(report);
  },
);

test(
  'the command makes no further run once Vitest has cancelled the tests',
  { timeout: 180_000 },
  async () => {
    const config = join(folder, 'bail.config.mjs');
    writeFileSync(
      config,
      `import config from '../vite.config.mjs';
export default { ...config, test: { ...config.test, retry: 0, bail: 1 } };`,
    );
    server.answer(() => 'neither');
    const stopped = await evaluate('mood', '--config', config, '--repeat', '100', '--concurrency', '1');
    expect(stopped, stopped.output).toMatchObject({ code: 1 });
    expect(server.requests.length).toBeLessThan(150);
  },
);

test('a baseline fails the command for a significant drop', { timeout: 180_000 }, async () => {
  const baseline = join(folder, 'baseline.json');
  expect(await evaluate('mood', '--repeat', '10', '--update-baseline', baseline)).toMatchObject({ code: 0 });
  server.answer(() => 'POSITIVE');
  const much = await evaluate('mood', '--repeat', '10', '--fresh', '--baseline', baseline);
  expect(much.code).toBe(1);
  expect(much.output).toContain('A pass rate is significantly lower, so the command fails.');
});

test('a baseline passes for a drop that is not significant', { timeout: 180_000 }, async () => {
  const baseline = join(folder, 'baseline.json');
  expect(await evaluate('mood', '--repeat', '10', '--update-baseline', baseline)).toMatchObject({ code: 0 });
  let count = 0;
  server.answer((request) => (count++ === 0 ? 'neither' : request.includes('sad') ? 'NEGATIVE' : 'POSITIVE'));
  const slightly = await evaluate('mood', '--repeat', '10', '--fresh', '--baseline', baseline);
  expect(slightly.code).toBe(0);
  expect(slightly.output).toContain('No pass rate is significantly lower, so the command passes.');
});

test('a missing cassette is an error that says how to record it', { timeout: 180_000 }, async () => {
  const cassette = join(folder, 'mood.cassette.json');
  const missing = await runCommand(['eval', 'mood', '--output', folder], { CASSETTE: cassette });
  expect(missing.code).toBe(1);
  expect(missing.output).toContain('--record');
});

test('shards run parts of the files, and their reports are merged', { timeout: 180_000 }, async () => {
  for (const shard of ['1/2', '2/2']) {
    expect(await evaluate('--shard', shard, '--reporter', 'blob')).toMatchObject({ code: 0 });
  }
  const merged = await evaluate('--merge-reports', join(folder, 'shards'));
  expect(merged).toMatchObject({ code: 0 });
  const { evals } = JSON.parse(file('report.json')) as EvalFile;
  expect(Object.fromEntries(evals.map(({ name, results }) => [name, results.length]))).toEqual({
    mood: 3,
    weather: 1,
  });
  expect(server.requests).toHaveLength(4);
});

test(
  'eval files can share a cassette, whose recordings are those of all of them',
  { timeout: 180_000 },
  async () => {
    const cassette = join(folder, 'shared.cassette.json');
    const env = { ...server.env, CASSETTE: cassette };
    expect(await runCommand(['eval', '--record', '--output', folder], env)).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(4);
    expect(await runCommand(['eval', '--output', folder], { CASSETTE: cassette })).toMatchObject({ code: 0 });
  },
);

test(
  'a recording of all cases drops what no request asks for; one of a part, or with an error, does not',
  { timeout: 240_000 },
  async () => {
    const cassette = join(folder, 'shared.cassette.json');
    const record = (...args: string[]): ReturnType<typeof runCommand> =>
      runCommand(['eval', '--record', '--output', folder, ...args], { ...server.env, CASSETTE: cassette });
    const keys = (): string[] =>
      (JSON.parse(readFileSync(cassette, 'utf8')) as CassetteData).recordings.map(({ key }) => key);
    expect(await record()).toMatchObject({ code: 0 });
    const recorded = keys();
    expect(recorded).toHaveLength(4);
    const data = JSON.parse(readFileSync(cassette, 'utf8')) as CassetteData;
    const old = { ...data.recordings[0]!, key: 'old' };
    writeFileSync(cassette, JSON.stringify({ ...data, recordings: [...data.recordings, old] }));
    const all = [...recorded, 'old'];
    expect(await record('mood')).toMatchObject({ code: 0 });
    expect(keys()).toEqual(all);
    server.refuse((request) => request.includes('joyful'));
    expect(await record()).toMatchObject({ code: 1 });
    expect(keys()).toEqual(all);
    server.refuse(() => false);
    expect(await record()).toMatchObject({ code: 0 });
    expect(keys()).toEqual(recorded);
  },
);

describe('--watch', () => {
  test(
    'runs again what a changed file affects, and only requests that changed',
    { timeout: 180_000 },
    async () => {
      const copy = join(folder, 'watched');
      mkdirSync(copy);
      for (const name of ['mood.eval.ts', 'vite.config.mjs'])
        copyFileSync(join(project, name), join(copy, name));
      writeFileSync(
        join(copy, 'vite.config.mjs'),
        file('watched/vite.config.mjs').replace('../../../../', '../../../../../../'),
      );
      const command = startCommand(['eval', '--watch', '--output', folder], server.env, copy);
      try {
        await command.prints('3/3 passed');
        writeFileSync(
          join(copy, 'mood.eval.ts'),
          file('watched/mood.eval.ts').replace('I am joyful', 'I am glad'),
        );
        await command.prints('3/3 passed');
        expect(server.requests).toHaveLength(4);
        expect(server.requests.at(-1)).toContain('I am glad');
      } finally {
        command.process.kill();
        await command.ended;
      }
    },
  );
});

test(
  'the exit code is 2 for a config file that throws an object without a text',
  { timeout: 180_000 },
  async () => {
    const config = join(folder, 'vitest.config.mjs');
    writeFileSync(config, 'throw Object.create(null);');
    expect(await evaluate('mood', '--config', config)).toMatchObject({
      code: 2,
      output: expect.stringContaining('Vitest cannot start: {}'),
    });
  },
);
