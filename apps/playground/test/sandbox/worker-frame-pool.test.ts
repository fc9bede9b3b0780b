import type { RunEvent } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WorkerFrame } from '../../src/sandbox/host/worker-frame.ts';
import { createSandbox } from '../../src/sandbox/index.ts';

/** The frames that were started, in order, and the messages that each has received. */
type FakeFrame = { sent: string[]; closed: boolean; isGone: boolean; say: (message: object) => void };
const { frames } = vi.hoisted(() => ({ frames: [] as FakeFrame[] }));

vi.mock('../../src/sandbox/host/worker-frame.ts', () => ({
  createWorkerFrame(): WorkerFrame {
    const fake: FakeFrame = { sent: [], closed: false, isGone: false, say: () => {} };
    frames.push(fake);
    return {
      open: (onMessage) => (fake.say = (message) => onMessage(JSON.stringify(message))),
      answers: async () => !fake.isGone,
      send: (text) => fake.sent.push(text),
      close: () => (fake.closed = true),
    };
  },
}));

const script = 'export default (prompt: any) => {\n  prompt.$`Hi`;\n};';
const scriptsOf = ({ sent }: FakeFrame) => sent.filter((text) => JSON.parse(text).type === 'run');

/** Starts a run whose events the worker sends. */
async function startRun(): Promise<RunEvent[]> {
  const executor = current!.executor(script, { getModel: () => scriptedModel(['Hi']) });
  const events: RunEvent[] = [];
  for await (const event of executor.start({ input: undefined } as never, new AbortController().signal))
    events.push(event);
  return events;
}

let current: ReturnType<typeof createSandbox> | undefined;
beforeEach(() => {
  vi.useFakeTimers();
  frames.length = 0;
  current = createSandbox();
});
afterEach(() => {
  current?.dispose();
  vi.useRealTimers();
});

test('a waiting worker gets the script in the same tick in which the run starts', () => {
  current!.warm();
  void startRun();
  expect(frames).toHaveLength(1);
  expect(scriptsOf(frames[0]!)).toHaveLength(1);
});

test('the next worker starts while the run goes on, and no worker gets two scripts', async () => {
  current!.warm();
  void startRun();
  await vi.advanceTimersByTimeAsync(500);
  expect(frames, 'nothing else starts before the first answer').toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(frames).toHaveLength(2);
  void startRun();
  expect(frames.map((frame) => scriptsOf(frame).length)).toEqual([1, 1]);
});

test('the end of a run closes its worker and starts the next one', async () => {
  current!.warm();
  const run = startRun();
  frames[0]!.say({ type: 'failed', error: { code: 'script_error', message: 'no' } });
  expect((await run).at(-1)).toMatchObject({ type: 'run-end', outcome: 'error' });
  expect(frames[0]!.closed).toBe(true);
  expect(frames).toHaveLength(2);
});

test('a script goes to another worker if the waiting one is gone', async () => {
  current!.warm();
  frames[0]!.isGone = true;
  void startRun();
  await vi.advanceTimersByTimeAsync(0);
  expect(frames[0]!.closed).toBe(true);
  expect(frames).toHaveLength(2);
  expect(scriptsOf(frames[1]!)).toEqual(scriptsOf(frames[0]!));
});

test('a script stays with a worker that has begun, even if the page hears its sign of life too late', async () => {
  current!.warm();
  frames[0]!.isGone = true;
  void startRun();
  frames[0]!.say({ type: 'ready' });
  frames[0]!.say({ type: 'console', level: 'log', text: 'begun' });
  await vi.advanceTimersByTimeAsync(0);
  expect(frames[0]!.closed).toBe(false);
  expect(frames.flatMap((frame) => scriptsOf(frame))).toHaveLength(1);
});
