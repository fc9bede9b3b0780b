import { LOG_VERSION, reduceAll, type RunEvent } from '@cueline/core';
import { expect, test } from 'vitest';
import log from '../../src/examples/first-run.json' with { type: 'json' };
import { problemOfLog } from '../../src/history/check-log.ts';

const events = log as readonly unknown[] as RunEvent[];

test('the recording of the first visit is a complete run in the current format', async () => {
  expect(await problemOfLog(events)).toBeUndefined();
  expect(events[0]).toMatchObject({ type: 'run-start', v: LOG_VERSION, name: 'weather' });
  expect(reduceAll(events)).toMatchObject({ status: 'done', toolCalls: [{ toolName: 'getWeather' }] });
});

test('the recording has the pace of a model', () => {
  const words = events.filter(({ type }) => type === 'text-delta');
  expect(words.length).toBeGreaterThan(20);
  expect(words.at(-1)!.t).toBeGreaterThan(1_000);
  expect(words.at(-1)!.t).toBeLessThan(6_000);
});
