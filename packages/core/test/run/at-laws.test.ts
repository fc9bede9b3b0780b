import {
  createRun,
  createRunLog,
  definePrompt,
  initialState,
  reduceAll,
  type RunEvent,
  type RunState,
} from '@cueline/core';
import { replay } from '@cueline/core/replay';
import { scriptedModel } from '@cueline/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { anyLog, inLog, runStart } from '../log/any-events.ts';
import { call, states } from '../support.ts';
import { sample } from '../support/sample.ts';

const anything = definePrompt('anything', () => {});

/** What `at` gives for these places of a log, asked in this order. */
function askedOf(at: (seq: number) => RunState, order: readonly number[]): RunState[] {
  return order.map((seq) => at(seq));
}

/** What the log up to each of these places amounts to. */
function meantOf(log: readonly RunEvent[], order: readonly number[]): RunState[] {
  return order.map((seq) => reduceAll(log.slice(0, Math.max(0, seq + 1))));
}

describe('the state after an event', () => {
  test('is the state of the log up to that event, in any order of requests', () => {
    fc.assert(
      fc.property(anyLog, fc.array(fc.integer({ min: -2, max: 45 }), { maxLength: 20 }), (log, order) => {
        const run = createRun(anything, { log });
        expect(askedOf(run.at, [...order, ...log.keys()])).toStrictEqual(
          meantOf(log, [...order, ...log.keys()]),
        );
      }),
      { numRuns: sample(300) },
    );
  });

  test('can be read in a long log forwards, backwards and in any order', () => {
    const log = inLog([
      runStart,
      { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
      { type: 'text-start', id: 'a' },
      ...Array.from({ length: 3_000 }, (_, index) => ({
        type: 'text-delta' as const,
        id: 'a',
        text: `${index} `,
      })),
      { type: 'run-end', outcome: 'stopped' },
    ]);
    const { at } = createRun(anything, { log });
    const places = [2_900, 511, 512, 513, 0, 1_023, 1_024, 3_003, 40, 1_536, 2_048, -1, 2_047];
    expect(askedOf(at, places)).toStrictEqual(meantOf(log, places));
    expect(askedOf(createRun(anything, { log }).at, places.toReversed())).toStrictEqual(
      meantOf(log, places.toReversed()),
    );
  });

  test('is defined before the first event, after the last and between events', () => {
    const log = inLog([runStart, { type: 'run-end', outcome: 'stopped' }]);
    const run = createRun(anything, { log });
    expect(run.at(-1)).toStrictEqual(initialState);
    expect(run.at(-9)).toStrictEqual(initialState);
    expect(run.at(99)).toStrictEqual(run.getState());
    expect(run.at(Infinity)).toStrictEqual(run.getState());
    expect(run.at(0.9)).toStrictEqual(reduceAll(log.slice(0, 1)));
    expect(createRun(anything).at(3)).toStrictEqual(initialState);
  });

  test('stays correct while the log grows', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        const log = createRunLog();
        for (const [count, event] of events.entries()) {
          log.push(event);
          expect(askedOf(log.at, [count, count - 1, Math.floor(count / 2)])).toStrictEqual(
            meantOf(events, [count, count - 1, Math.floor(count / 2)]),
          );
        }
      }),
      { numRuns: sample(100) },
    );
  });

  test('stays correct after the log starts again', () => {
    fc.assert(
      fc.property(anyLog, anyLog, (first, second) => {
        const log = createRunLog();
        const open = first.filter(({ type }) => type !== 'run-end');
        for (const event of open) log.push(event);
        expect(askedOf(log.at, [open.length - 1, 0])).toStrictEqual(meantOf(open, [open.length - 1, 0]));
        for (const [count, event] of second.entries()) {
          log.push(event);
          expect(askedOf(log.at, [count, 0])).toStrictEqual(meantOf(second, [count, 0]));
        }
        expect(askedOf(log.at, [...second.keys()])).toStrictEqual(meantOf(second, [...second.keys()]));
      }),
      { numRuns: sample(100) },
    );
  });

  test('equals that of a real run, live and in a replay that is wound back', async () => {
    const turns = [
      ['Let me see.', call('look', { what: 'left' })],
      [call('finishTask', { result: 'seen' })],
      'Done.',
    ];
    const run = createRun(
      definePrompt('real', (prompt) => {
        prompt.defTool('look', 'Looks', z.object({ what: z.string() }), ({ what }) => what);
        prompt.defTaskList([{ task: 'Look' }]);
        prompt.$`Go.`;
      }),
      { model: scriptedModel(turns, { chunkSize: 3 }) },
    );
    const live: [at: unknown, now: unknown][] = [];
    run.listen(({ seq }) => void live.push([run.at(seq), run.getState()]));
    await run.start();
    const log = run.log().slice();
    expect(live).toStrictEqual(states(log).map((state) => [state, state]));
    expect(askedOf(run.at, [...log.keys()].toReversed())).toStrictEqual(
      meantOf(log, [...log.keys()].toReversed()),
    );

    const player = replay(log, { paused: true });
    const shown = createRun(anything, { executor: player });
    const end = shown.start();
    player.seek(20);
    await expect.poll(() => shown.log().length).toBe(21);
    expect(askedOf(shown.at, [20, 7])).toStrictEqual(meantOf(log, [20, 7]));
    player.seek(5);
    await expect.poll(() => shown.log().length).toBe(6);
    expect(shown.at(20)).toStrictEqual(reduceAll(log.slice(0, 6)));
    expect(askedOf(shown.at, [5, 3, 0])).toStrictEqual(meantOf(log, [5, 3, 0]));
    player.setSpeed(Infinity);
    player.play();
    await end;
    expect(askedOf(shown.at, [...log.keys()])).toStrictEqual(meantOf(log, [...log.keys()]));
  });
});
