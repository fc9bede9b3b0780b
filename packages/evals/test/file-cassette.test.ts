// Cassettes in files that several eval files share. Vitest runs each file in a worker of its own.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPrompt } from '@cueline/core';
import { scriptedModel, type CassetteData } from '@cueline/core/testing';
import type { FileCassette } from '@cueline/evals';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cueline-cassette-'));
  path = join(folder, 'shared.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Opens the cassette as another worker does, whose modules are its own. */
async function openInWorker(mode: 'record' | 'extend'): Promise<FileCassette> {
  vi.resetModules();
  const { openCassette } = await import('@cueline/evals');
  return openCassette(path, { mode });
}

async function ask(cassette: FileCassette, question: string): Promise<void> {
  const model = cassette.model(scriptedModel(['So.'], { modelId: 'small' }));
  const { run } = await runPrompt((prompt) => prompt.$`${question}`, { model });
  expect(await run.finished).toMatchObject({ status: 'done' });
}

const questions = (): string[] =>
  (JSON.parse(readFileSync(path, 'utf8')) as CassetteData).recordings
    .map(({ request }) => /question \w+/.exec(JSON.stringify(request))![0])
    .toSorted();

test.each(['record', 'extend'] as const)('has what all eval files record (%s)', async (mode) => {
  const workers = [await openInWorker(mode), await openInWorker(mode), await openInWorker(mode)];
  for (const [index, worker] of workers.entries()) await ask(worker, `question ${index}`);
  for (const worker of workers) worker.save();
  expect(questions()).toEqual(['question 0', 'question 1', 'question 2']);
  expect(readdirSync(folder)).toEqual(['shared.json']);
});

test.each([
  ['record', ['question new']],
  ['extend', ['question new', 'question old']],
] as const)('of an earlier evaluation, %s leaves %j', async (mode, left) => {
  const earlier = await openInWorker('record');
  await ask(earlier, 'question old');
  earlier.save();
  const anHourAgo = Date.now() / 1_000 - 3_600;
  utimesSync(path, anHourAgo, anHourAgo);
  const later = await openInWorker(mode);
  await ask(later, 'question new');
  later.save();
  expect(questions()).toEqual(left);
});

test('is written in spite of the lock of a process that has ended', async () => {
  const cassette = await openInWorker('record');
  await ask(cassette, 'question one');
  mkdirSync(`${path}.lock`);
  utimesSync(`${path}.lock`, 0, 0);
  cassette.save();
  expect(questions()).toEqual(['question one']);
  expect(readdirSync(folder)).toEqual(['shared.json']);
});
