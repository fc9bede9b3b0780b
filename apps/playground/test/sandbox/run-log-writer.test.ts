import type { RunEvent } from '@cueline/core';
import { afterEach, expect, test, vi } from 'vitest';
import { RunLogWriter } from '../../src/sandbox/host/run-log-writer.ts';

afterEach(() => vi.useRealTimers());

function setUp() {
  vi.useFakeTimers({ now: 0, toFake: ['performance'] });
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent): number => events.push(event);
  const log = new RunLogWriter({ request: { input: undefined }, model: () => '', onEvent, onEnd: () => {} });
  return { log, events };
}

test('a script that ended before its run started has taken the time since it was started', () => {
  const { log, events } = setUp();
  vi.advanceTimersByTime(3_000);
  log.end({ outcome: 'error', error: { code: 'script_error', message: 'A loop.' } });
  expect(events.map(({ type, t }) => [type, t])).toEqual([
    ['run-start', 0],
    ['run-end', 3_000],
  ]);
});

test('the end of a run is timed from the start of the run', () => {
  const { log, events } = setUp();
  vi.advanceTimersByTime(3_000);
  log.write({ type: 'run-start', v: 2, runId: 'r', model: '', messages: [], messageId: 'm' }, 0);
  vi.advanceTimersByTime(500);
  log.end({ outcome: 'stopped' });
  expect(events.at(-1)).toMatchObject({ type: 'run-end', t: 500 });
});
