// Cassettes in files that several eval files share. Vitest runs each file in a worker of its own.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
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

async function ask(cassette: FileCassette, question: string, modelId = 'small'): Promise<void> {
  const model = cassette.model(scriptedModel(['So.'], { modelId }));
  const { run } = await runPrompt((prompt) => prompt.$`${question}`, { model });
  expect(await run.finished).toMatchObject({ status: 'done' });
}

const questions = (): string[] =>
  (JSON.parse(readFileSync(path, 'utf8')) as CassetteData).recordings
    .map(({ request }) => /question \w+/.exec(JSON.stringify(request))![0])
    .toSorted();

test.each(['record', 'extend'] as const)('a cassette has what all eval files record (%s)', async (mode) => {
  const workers = [await openInWorker(mode), await openInWorker(mode), await openInWorker(mode)];
  for (const [index, worker] of workers.entries()) await ask(worker, `question ${index}`);
  for (const worker of workers) worker.save();
  expect(questions()).toEqual(['question 0', 'question 1', 'question 2']);
  expect(readdirSync(folder)).toEqual(['shared.json']);
});

test.each(['record', 'extend'] as const)(
  'a cassette keeps what an earlier evaluation has recorded (%s)',
  async (mode) => {
    const earlier = await openInWorker('record');
    await ask(earlier, 'question old', 'large');
    await ask(earlier, 'question both');
    earlier.save();
    const anHourAgo = Date.now() / 1_000 - 3_600;
    utimesSync(path, anHourAgo, anHourAgo);
    const later = await openInWorker(mode);
    await ask(later, 'question new');
    await ask(later, 'question both');
    later.save();
    expect(questions()).toEqual(['question both', 'question new', 'question old']);
    const { supportedUrls, recordings } = JSON.parse(readFileSync(path, 'utf8')) as CassetteData;
    expect(recordings.map(({ answers }) => answers.length)).toEqual([1, 1, 1]);
    expect(Object.keys(supportedUrls!)).toEqual(['simulated:large', 'simulated:small']);
  },
);

test('a cassette replaces a file that is not a cassette', async () => {
  writeFileSync(path, '{ "version": 2 }');
  await expect(openInWorker('extend')).rejects.toThrow('The cassette is not readable');
  const cassette = await openInWorker('record');
  await ask(cassette, 'question one');
  cassette.save();
  expect(questions()).toEqual(['question one']);
});

test('a cassette is written despite the lock of a process that has ended', async () => {
  const cassette = await openInWorker('record');
  await ask(cassette, 'question one');
  mkdirSync(`${path}.lock`);
  utimesSync(`${path}.lock`, 0, 0);
  cassette.save();
  expect(questions()).toEqual(['question one']);
  expect(readdirSync(folder)).toEqual(['shared.json']);
});
