// More of the command in processes of its own; command.test.ts has what runs every time.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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

const evaluate = (...args: string[]): ReturnType<typeof runCommand> =>
  runCommand(['eval', '--output', folder, ...args], server.env);

test('a case that fails does not count if it is filtered out', { timeout: 180_000 }, async () => {
  server.answer((request) => (/joyful|sad/.test(request) ? 'NEGATIVE' : 'POSITIVE'));
  expect(await evaluate('mood')).toMatchObject({ code: 1 });
  expect(await evaluate('mood', '-t', 'base|different')).toMatchObject({ code: 0 });
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

test('a cassette that does not exist says how to record it', { timeout: 180_000 }, async () => {
  const cassette = join(folder, 'mood.cassette.json');
  const missing = await runCommand(['eval', 'mood', '--output', folder], { CASSETTE: cassette });
  expect(missing.code).toBe(1);
  expect(missing.output).toContain('--record');
});
