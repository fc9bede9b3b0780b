import type { RunEvent } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Cell } from '../../src/sandbox/host/cell.ts';
import { createSandbox } from '../../src/sandbox/index.ts';

/** The cells that were started, in order, and the messages that each has received. */
type FakeCell = { sent: string[]; closed: boolean; isGone: boolean; say: (message: object) => void };
const { cells } = vi.hoisted(() => ({ cells: [] as FakeCell[] }));

vi.mock('../../src/sandbox/host/cell.ts', () => ({
  createCell(): Cell {
    const fake: FakeCell = { sent: [], closed: false, isGone: false, say: () => {} };
    cells.push(fake);
    return {
      open: (onMessage) => (fake.say = (message) => onMessage(JSON.stringify(message))),
      answers: async () => !fake.isGone,
      send: (text) => fake.sent.push(text),
      close: () => (fake.closed = true),
    };
  },
}));

const script = 'export default (prompt: any) => {\n  prompt.$`Hi`;\n};';
const scriptsOf = ({ sent }: FakeCell) => sent.filter((text) => JSON.parse(text).type === 'run');

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
  cells.length = 0;
  current = createSandbox();
});
afterEach(() => {
  current?.dispose();
  vi.useRealTimers();
});

test('a waiting worker gets the script in the same tick in which the run starts', () => {
  current!.warm();
  void startRun();
  expect(cells).toHaveLength(1);
  expect(scriptsOf(cells[0]!)).toHaveLength(1);
});

test('the next worker starts while the run goes on, and no worker gets two scripts', async () => {
  current!.warm();
  void startRun();
  await vi.advanceTimersByTimeAsync(500);
  expect(cells, 'nothing else starts before the first answer').toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(cells).toHaveLength(2);
  void startRun();
  expect(cells.map((cell) => scriptsOf(cell).length)).toEqual([1, 1]);
});

test('the end of a run closes its worker and starts the next one', async () => {
  current!.warm();
  const run = startRun();
  cells[0]!.say({ type: 'failed', error: { code: 'script_error', message: 'no' } });
  expect((await run).at(-1)).toMatchObject({ type: 'run-end', outcome: 'error' });
  expect(cells[0]!.closed).toBe(true);
  expect(cells).toHaveLength(2);
});

test('a script goes to another worker if the waiting one is gone', async () => {
  current!.warm();
  cells[0]!.isGone = true;
  void startRun();
  await vi.advanceTimersByTimeAsync(0);
  expect(cells[0]!.closed).toBe(true);
  expect(cells).toHaveLength(2);
  expect(scriptsOf(cells[1]!)).toEqual(scriptsOf(cells[0]!));
});

test('a script stays with a worker that has begun, even if the page hears its sign of life too late', async () => {
  current!.warm();
  cells[0]!.isGone = true;
  void startRun();
  cells[0]!.say({ type: 'ready' });
  cells[0]!.say({ type: 'console', level: 'log', text: 'begun' });
  await vi.advanceTimersByTimeAsync(0);
  expect(cells[0]!.closed).toBe(false);
  expect(cells.flatMap((cell) => scriptsOf(cell))).toHaveLength(1);
});
