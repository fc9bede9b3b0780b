import type * as Core from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import { codeOf } from '../support/runs.ts';

// what a retry needs is loaded with a page's first run, so each test is a page of its own
let core: typeof Core;
beforeEach(async () => {
  vi.resetModules();
  core = await import('@cueline/core');
}, 30_000);

const failure: ScriptedTurn = [{ throw: 'The line is dead.' }];

/** A run that has failed in a page before this one. */
function failed(turns: readonly ScriptedTurn[]) {
  const hello = core.definePrompt('hello', (prompt) => prompt.$`Hi.`);
  const log: Core.RunEvent[] = [
    { seq: 0, t: 0, type: 'run-start', v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' },
    { seq: 1, t: 1, type: 'run-end', outcome: 'error', error: { code: 'network', message: 'Gone.' } },
  ];
  return core.createRun(hello, { model: scriptedModel(turns), options: { maxRetries: 0 }, log });
}

test('a retry at page load waits until its code is loaded', async () => {
  expect(await failed(['Hello.']).retry()).toBe('Hello.');
});

test('a retry that is stopped before it begins does not begin', async () => {
  const run = failed(['Never.']);
  const again = run.retry();
  run.stop();
  expect(await codeOf(again)).toBe('aborted');
  expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'network' } });
});

test('a start in the meantime replaces the retry', async () => {
  const run = failed(['Started.']);
  void run.retry();
  const again = run.retry();
  const started = run.start();
  expect(await codeOf(again)).toBe('aborted');
  expect(await started).toBe('Started.');
});

test('later retries begin at once', async () => {
  const run = failed([failure, 'Hello.']);
  await codeOf(run.retry());
  const again = run.retry();
  expect(run.getState().status).toBe('running');
  expect(await again).toBe('Hello.');
});

test('a second retry at the same moment, as after a double click, is the first', async () => {
  const run = failed([failure, 'Hello.']);
  await codeOf(run.retry());
  const first = run.retry();
  const second = run.retry();
  expect(await Promise.all([first, second])).toEqual(['Hello.', 'Hello.']);
});
