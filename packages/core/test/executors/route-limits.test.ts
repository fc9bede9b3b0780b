import type { RunEvent } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import { never, read, request, setUp } from './route.ts';

const start: RunEvent = {
  seq: 0,
  t: 0,
  type: 'run-start',
  v: 2,
  runId: 'r',
  model: 'm',
  messages: [],
  messageId: 'a',
};
const warning = (seq: number): RunEvent => ({ seq, t: 0, type: 'warning', message: 'Slow.' });

/** The start of a run and so many warnings after it, then its end. */
const logOf = (warnings: number): RunEvent[] => [
  start,
  ...Array.from({ length: warnings }, (_, index) => warning(index + 1)),
  { seq: warnings + 1, t: 0, type: 'run-end', outcome: 'done' },
];

/** A route whose connections each close after the last of `chunks`; it has a log from `from` on for each request. */
function routeOf(log: readonly RunEvent[], perConnection: number, from: (afterSeq: number) => number) {
  let connections = 0;
  const all = setUp([], {
    instead: (asked) => {
      connections += 1;
      const known = asked.headers.get('last-event-id');
      const after = known === null ? -1 : Number(known);
      const events = log.slice(from(after), after + 1 + perConnection);
      return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''), {
        headers: { 'content-type': 'text/event-stream' },
      });
    },
  });
  return { ...all, connections: () => connections };
}

const fromNext = (afterSeq: number): number => afterSeq + 1;
const fromBeginning = (): number => 0;

describe('The events of one run are counted over all its connections', () => {
  test('so that a server that closes after 9,000 warnings and sends more is stopped at the limit', async () => {
    const { executor, connections } = routeOf(logOf(20_000), 9_001, fromNext);
    const { seen, error } = await read(executor.start(request(), never()));
    expect(error).toMatchObject({ code: 'too_large' });
    expect(error?.message).toContain('more than 10,000 warnings');
    expect(seen.filter(({ type }) => type === 'warning')).toHaveLength(10_000);
    expect(connections()).toBe(2);
  });

  test('also if it closes after every few, and for a run that is followed from its middle', async () => {
    const { executor } = routeOf(logOf(20_000), 400, fromNext);
    const { seen, error } = await read(executor.attach!('r', 5_000, never())!);
    expect(error).toMatchObject({ code: 'too_large' });
    expect([seen[0]?.seq, seen.length]).toEqual([5_001, 10_000]);
  });

  test('so that a long run within the limits comes whole', async () => {
    const log = logOf(10_000);
    const { executor, connections } = routeOf(log, 3_000, fromNext);
    const { seen, error } = await read(executor.start(request(), never()));
    expect(error).toBeUndefined();
    expect(seen).toEqual(log);
    expect(connections()).toBe(4);
  });

  test('and each of them once, if the route begins again with every connection', async () => {
    const log = logOf(9_999);
    const { executor, connections } = routeOf(log, 2_000, fromBeginning);
    const { seen, error } = await read(executor.start(request(), never()));
    expect(error).toBeUndefined();
    expect(seen).toEqual(log);
    expect(connections()).toBe(6);
  });

  test('and a server that sends the same event again without end is stopped', async () => {
    const again = new TextEncoder().encode(`data: ${JSON.stringify(start)}\n\n`.repeat(1_000));
    let sent = 0;
    const body = () =>
      new ReadableStream({
        pull(controller) {
          sent += 1_000;
          if (sent > 100_000) controller.close();
          else controller.enqueue(again);
        },
      });
    const { executor } = setUp([], {
      instead: () => new Response(body(), { headers: { 'content-type': 'text/event-stream' } }),
    });
    const { error } = await read(executor.start(request(), never()));
    expect(error).toMatchObject({ code: 'too_large' });
    expect(sent).toBeLessThan(30_000);
  });

  test('and not over several runs', async () => {
    const { executor } = routeOf(logOf(9_000), Infinity, fromNext);
    for (let run = 0; run < 2; run += 1) {
      const { seen, error } = await read(executor.start(request(), never()));
      expect(error).toBeUndefined();
      expect(seen).toHaveLength(9_002);
    }
  });
});
