import { createRun, reduceAll } from '@cueline/core';
import { replay } from '@cueline/core/replay';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { play } from '../support.ts';
import { five, hello } from './manual-clock.ts';

describe('A replay in a run', () => {
  test('ends in the state of the run that was recorded', async () => {
    const { events, run: recorded } = await play((prompt) => prompt.$`Hi.`, ['Hello.']);
    const run = createRun(hello, { executor: replay(events, { speed: Infinity }) });
    expect(await run.start()).toBe('Hello.');
    expect(run.log()).toEqual(events);
    expect(run.getState().messages).toEqual(recorded.getState().messages);
    expect(reduceAll(run.log()).text).toBe('Hello.');
  });

  test('moved to any event, shows the state after that event', async () => {
    const { events } = await play(
      (prompt) => {
        prompt.defTool('look', 'Looks', z.object({}), () => 'seen');
        prompt.$`Hi.`;
      },
      [[{ toolCall: { name: 'look', input: {} } }], 'Hello.'],
    );
    const player = replay(events, { paused: true });
    const run = createRun(hello, { executor: player });
    const text = run.start();
    for (const seq of [3, events.length - 2, 1, 5, 0, 7]) {
      player.seek(seq);
      await expect.poll(() => run.log().length).toBe(seq + 1);
      expect(run.getState()).toEqual({ ...reduceAll(events.slice(0, seq + 1)), replaying: true });
    }
    player.setSpeed(Infinity);
    player.play();
    expect(await text).toBe('Hello.');
    expect(run.log()).toEqual(events);
  });

  test('ends with an error if its log has no end', async () => {
    const { events } = await play((prompt) => prompt.$`Hi.`, ['Hello.']);
    const run = createRun(hello, { executor: replay(events.slice(0, -2), { speed: Infinity }) });
    await expect(run.start()).rejects.toMatchObject({ code: 'stream_truncated' });
    expect(run.getState()).toMatchObject({ status: 'error', text: 'Hello.' });
  });

  test('can be stopped in the middle, in real time', async () => {
    const slow = five.map((event) => ({ ...event, t: event.seq < 2 ? event.seq : 60_000 }));
    const run = createRun(hello, { executor: replay(slow) });
    void run.start();
    await expect.poll(() => run.log().length).toBe(2);
    run.stop();
    await expect.poll(() => run.getState().status).toBe('stopped');
    expect(run.log().map(({ type }) => type)).toEqual(['run-start', 'warning', 'run-end']);
  });
});
