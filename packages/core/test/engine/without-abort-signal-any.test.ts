import { createRun, definePrompt, tool } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { call } from '../support.ts';

// as in Hermes and in Next's edge runtime
const { any } = AbortSignal;
beforeAll(() => void Object.assign(AbortSignal, { any: undefined }));
afterAll(() => void Object.assign(AbortSignal, { any }));

const forever = () => new Promise<never>(() => {});

function setUp(timeoutMs: number) {
  const slow = tool('slow', 'Takes its time', z.object({}), forever, { timeoutMs });
  const definition = definePrompt('patient', (prompt) => prompt.$`Wait.`, { tools: [slow] });
  const model = scriptedModel([[call('slow', {})], 'That took too long.']);
  return createRun(definition, { model });
}

test('a tool has its time limit without AbortSignal.any', async () => {
  const run = setUp(10);
  expect(await run.start()).toBe('That took too long.');
  expect(run.getState().toolCalls[0]).toMatchObject({ state: 'output-error' });
});

test('a signal of the caller stops a run without AbortSignal.any', async () => {
  const controller = new AbortController();
  const run = setUp(60_000);
  run.subscribe(() => {
    if (run.getState().toolCalls.length > 0) controller.abort();
  });
  await expect(run.start(undefined, { signal: controller.signal })).rejects.toMatchObject({
    code: 'aborted',
  });
  expect(run.getState().status).toBe('stopped');
});

test('a signal that has aborted already keeps a run from starting', async () => {
  const run = setUp(60_000);
  await expect(run.start(undefined, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'aborted',
  });
});
