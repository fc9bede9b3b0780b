// The command in processes of its own, with models on a server of this machine.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EvalFile } from '../src/report/eval-file.ts';
import { startModelServer, type ModelServer } from './model-server.ts';
import { project, runCommand } from './run-command.ts';

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

test(
  'if all evals pass, the code is 0 and the reports are written; the recorded cassette needs no server and no key',
  { timeout: 60_000 },
  async () => {
    const cassette = join(folder, 'mood.cassette.json');
    const reporters = ['html', 'json', 'junit'].flatMap((name) => ['--reporter', name]);
    const recorded = await runCommand(['eval', 'mood', '--record', '--output', folder, ...reporters], {
      ...server.env,
      CASSETTE: cassette,
    });
    expect(recorded, recorded.output).toMatchObject({ code: 0 });
    expect(recorded.output).toContain('mood');
    expect(server.requests).toHaveLength(3);
    const { evals } = JSON.parse(file('report.json')) as EvalFile;
    expect(evals.map(({ name, passed, results }) => [name, passed, results.length])).toEqual([
      ['mood', true, 3],
    ]);
    expect(file('junit.xml')).toContain('tests="3" failures="0"');
    expect(file('report.html')).toContain('<!doctype html>');
    for (const name of ['report.html', 'mood.cassette.json']) expect(file(name)).not.toContain('secret-key');

    const replayed = await runCommand(['eval', 'mood', '--output', folder], { CASSETTE: cassette });
    expect(replayed).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(3);
  },
);

test(
  'if a case fails, the code is 1 and the case is named; no case runs a second time for a threshold that allows it',
  { timeout: 60_000 },
  async () => {
    server.answer((request) =>
      request.includes('joyful') ? 'NEGATIVE' : request.includes('sad') ? 'NEGATIVE' : 'POSITIVE',
    );
    const failed = await evaluate('mood', '--reporter', 'junit');
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.output).toMatch(/✗ .*same/);
    expect(file('junit.xml')).toContain('failures="1"');
    expect(file('junit.xml')).not.toContain('TypeError');
    expect(server.requests).toHaveLength(3);
    expect(await evaluate('mood', '--threshold', '0.6')).toMatchObject({ code: 0 });
    expect(server.requests, 'the results were stored').toHaveLength(3);
  },
);

test(
  'the exit code is 2 for an option that Vitest refuses, and 1 if there is no eval file',
  { timeout: 60_000 },
  async () => {
    expect(await evaluate('mood', '--shard', '5/4')).toMatchObject({
      code: 2,
      output: expect.stringContaining('Vitest cannot start: --shard'),
    });
    const none = await evaluate('tides');
    expect(none.code).toBe(1);
    expect(none.output).toContain('No file has evals. Name it like mood.eval.ts');
  },
);
