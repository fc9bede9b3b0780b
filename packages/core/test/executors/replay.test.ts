import { replay, type ReplayOptions } from '@cueline/core/replay';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inLog } from '../log/any-events.ts';
import { thrownCode } from '../support/refusal.ts';
import { collect, five, manualClock, request } from './manual-clock.ts';

/** A replay by a manual clock, and what its first start gives. */
function watched(options: ReplayOptions = {}, log = five) {
  const clock = manualClock();
  const player = replay(log, { ...clock.options, ...options });
  return { clock, player, ...collect(player) };
}

describe('a replay', () => {
  test('emits each event at its time', async () => {
    const { clock, seqs, ended } = watched();
    await clock.settle();
    expect(seqs()).toEqual([0]);
    await clock.forward(9);
    expect(seqs()).toEqual([0]);
    await clock.forward(1);
    expect(seqs()).toEqual([0, 1]);
    await clock.forward(25);
    expect(seqs()).toEqual([0, 1, 2, 3]);
    await clock.forward(5);
    expect(seqs()).toEqual([0, 1, 2, 3, 4]);
    await ended;
    expect(clock.timers.size).toBe(0);
  });

  test('can run twice as fast, and change its speed in the middle', async () => {
    const { clock, player, seqs } = watched({ speed: 2 });
    await clock.forward(6);
    expect(seqs()).toEqual([0, 1]);
    player.setSpeed(0.1); // 12 ms of the log are over, so that 8 are left, or 80
    expect(player.speed).toBe(0.1);
    await clock.forward(79);
    expect(seqs()).toEqual([0, 1]);
    await clock.forward(1);
    expect(seqs()).toEqual([0, 1, 2]);
    player.setSpeed(Infinity);
    await clock.settle();
    expect(seqs()).toEqual([0, 1, 2, 3, 4]);
  });

  test('continues with the last event if it is slowed down in the middle of a burst', async () => {
    const clock = manualClock();
    const player = replay(five, { ...clock.options, speed: Infinity });
    const iterator = player.start(request, new AbortController().signal)[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    await iterator.next();
    player.setSpeed(1);
    let came = false;
    void iterator.next().then(() => (came = true));
    await clock.forward(9);
    expect(came).toBe(false);
    await clock.forward(1);
    expect(came).toBe(true);
  });

  test('emits the log itself without timers at infinite speed', async () => {
    const { clock, seen, ended } = watched({ speed: Infinity });
    await ended;
    expect(seen).toEqual(five);
    expect(clock.timers.size).toBe(0);
  });

  test('pauses between two events and continues with the rest of the delay', async () => {
    const { clock, player, seqs } = watched();
    await clock.forward(14);
    player.pause();
    expect(player.playing).toBe(false);
    await clock.forward(10_000);
    expect(seqs()).toEqual([0, 1]);
    player.play();
    expect(player.playing).toBe(true);
    await clock.forward(5);
    expect(seqs()).toEqual([0, 1]);
    await clock.forward(1);
    expect(seqs()).toEqual([0, 1, 2]);
  });

  test('that begins paused emits nothing until it is played or moved', async () => {
    const { clock, player, seqs, ended } = watched({ paused: true, speed: Infinity });
    await clock.forward(1_000);
    expect(seqs()).toEqual([]);
    player.seek(1);
    await clock.forward(1_000);
    expect(seqs()).toEqual([0, 1]);
    player.play();
    await ended;
    expect(seqs()).toEqual([0, 1, 2, 3, 4]);
  });

  test('moved forwards, emits everything up to there at once, then waits as long as the log does', async () => {
    const { clock, player, seqs } = watched();
    await clock.forward(3);
    player.seek(2);
    await clock.settle();
    expect(seqs()).toEqual([0, 1, 2]);
    await clock.forward(9);
    expect(seqs()).toEqual([0, 1, 2]);
    await clock.forward(1);
    expect(seqs()).toEqual([0, 1, 2, 3]);
    player.seek(99);
    await clock.settle();
    expect(seqs()).toEqual([0, 1, 2, 3, 4]);
  });

  test('moved backwards, emits the log again from its start', async () => {
    const { clock, player, seqs, ended } = watched();
    await clock.forward(32);
    player.seek(1);
    await clock.settle();
    expect(seqs()).toEqual([0, 1, 2, 3, 0, 1]);
    await clock.forward(30);
    await ended;
    expect(seqs()).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 4]);
  });

  test('moved to its current position, emits nothing twice', async () => {
    const { clock, player, seqs } = watched();
    await clock.forward(15);
    player.seek(1);
    await clock.forward(9);
    expect(seqs()).toEqual([0, 1]);
    await clock.forward(1);
    expect(seqs()).toEqual([0, 1, 2]);
  });

  test('moved after its end, begins there at the next start only', async () => {
    const clock = manualClock();
    const player = replay(five, clock.options);
    const first = collect(player);
    await clock.forward(40);
    await first.ended;
    player.seek(2);
    expect(player.position).toBe(2);
    await clock.settle();
    expect(first.seqs()).toEqual([0, 1, 2, 3, 4]);
    const second = collect(player);
    await clock.settle();
    expect(second.seqs()).toEqual([0, 1, 2]);
    await clock.forward(20);
    await second.ended;
    const third = collect(player);
    await clock.settle();
    expect(third.seqs()).toEqual([0]);
  });

  test('shortens long delays only', async () => {
    const hour = five.map((event) => (event.seq > 1 ? { ...event, t: event.t + 3_600_000 } : event));
    const { clock, seen } = watched({ maxGapMs: 500 }, hour);
    await clock.forward(509);
    expect(seen).toHaveLength(2);
    await clock.forward(1);
    expect(seen).toHaveLength(3);
    await clock.forward(20);
    expect(seen).toEqual(hour);
  });

  test('waits in parts for a delay that is too long for a timer', async () => {
    const days = 40 * 24 * 3_600_000;
    const log = five.map((event) => (event.seq > 0 ? { ...event, t: event.t + days } : event));
    const { clock, seqs } = watched({}, log);
    await clock.settle();
    expect([...clock.timers.values()].map(({ at }) => at - 1_000)).toEqual([2 ** 31 - 1]);
    await clock.forward(days + 9);
    expect(seqs()).toEqual([0]);
    await clock.forward(1);
    expect(seqs()).toEqual([0, 1]);
  });

  test('ignores impossible times', async () => {
    const odd = five.map((event, index) => ({ ...event, t: [0, Infinity, -5, Number.NaN, 3][index]! }));
    const { clock, seqs, ended } = watched({}, odd);
    await clock.forward(8);
    await ended;
    expect(seqs()).toEqual([0, 1, 2, 3, 4]);
  });

  test('ends as stopped, after what it has emitted', async () => {
    const clock = manualClock();
    const controller = new AbortController();
    const { seen, ended } = collect(replay(five, clock.options), controller.signal);
    await clock.forward(12);
    controller.abort();
    await ended;
    expect(seen).toEqual([...five.slice(0, 2), { seq: 2, t: 10, type: 'run-end', outcome: 'stopped' }]);
    expect(clock.timers.size).toBe(0);
  });

  test('still begins with run-start if it is stopped before its first event', async () => {
    const { seen, ended } = collect(replay(five, { paused: true }), AbortSignal.abort());
    await ended;
    expect(seen).toEqual([five[0], { seq: 1, t: 0, type: 'run-end', outcome: 'stopped' }]);
  });

  test('releases a watcher that stops at once', async () => {
    const { clock, iterator, ended, seqs } = watched();
    await clock.settle();
    await iterator.return?.();
    await ended;
    await clock.forward(100);
    expect(seqs()).toEqual([0]);
    expect(clock.timers.size).toBe(0);
  });

  test('has a position for each start, and its controls act on all of them', async () => {
    const clock = manualClock();
    const player = replay(five, clock.options);
    const first = collect(player);
    await clock.forward(10);
    const second = collect(player);
    await clock.forward(10);
    expect([first.seqs(), second.seqs()]).toEqual([
      [0, 1, 2],
      [0, 1],
    ]);
    expect(player.position).toBe(1);
    player.pause();
    await clock.forward(100);
    player.seek(2);
    await clock.settle();
    expect([first.seqs(), second.seqs()]).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ]);
  });

  test('reports its position, once for many events', async () => {
    const clock = manualClock();
    const player = replay(five, clock.options);
    const told: [number, boolean][] = [];
    const unsubscribe = player.subscribe(() => told.push([player.position, player.playing]));
    expect(player.position).toBe(-1);
    const { ended } = collect(player);
    await clock.settle();
    player.seek(2);
    await clock.settle();
    player.pause();
    player.play();
    await clock.forward(10);
    expect(told).toEqual([
      [0, true],
      [2, true],
      [2, false],
      [2, true],
      [3, true],
    ]);
    unsubscribe();
    await clock.forward(10);
    await ended;
    expect(player.position).toBe(4);
    expect(told).toHaveLength(5);
  });

  test('takes no commands', async () => {
    const player = replay(five);
    expect(player.replays).toBe(true);
    expect(
      await player.send?.('r', { type: 'approval-response', approvalId: 'x', response: { approved: true } }),
    ).toEqual({
      accepted: false,
      reason: 'This is a replay, so nothing runs that could accept commands. Start the prompt itself.',
    });
  });

  test('does not see events that are added to the list later', async () => {
    const live = five.slice(0, 2);
    const player = replay(live, { speed: Infinity });
    live.push(five[2]!);
    const { seqs, ended } = collect(player);
    await ended;
    expect(seqs()).toEqual([0, 1]);
  });

  test('is refused for an invalid log or impossible numbers, with what to write', () => {
    const refused = [
      () => replay([]),
      () => replay(undefined as never),
      () => replay([null] as never),
      () => replay(five.slice(1)),
      () => replay(five.toSpliced(2, 1)),
      () => replay(inLog([{ type: 'warning', message: 'a' }])),
      () => replay(five, { speed: 0 }),
      () => replay(five, { speed: Number.NaN }),
      () => replay(five, { speed: '2' as never }),
      () => replay(five, { maxGapMs: -1 }),
      () => replay(five).setSpeed(-1),
      () => replay(five).seek(0.5),
    ];
    expect(refused.map(thrownCode)).toEqual(refused.map(() => 'invalid_options'));
    expect(() => replay(five, { speed: 0 })).toThrow(
      'replay: speed is 0. Pass a number above 0, or Infinity; pause() halts.',
    );
  });

  test('emits a prefix of the log since the last start, for any actions', async () => {
    const key = fc.oneof(
      fc.record({ press: fc.constantFrom('play', 'pause', 'fast', 'slow') }),
      fc.record({ press: fc.constant('seek'), to: fc.integer({ min: 0, max: 4 }) }),
      fc.record({ press: fc.constant('time'), ms: fc.integer({ min: 0, max: 30 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(key, { maxLength: 12 }), async (keys) => {
        const { clock, player, seen, ended } = watched();
        for (const pressed of keys) {
          if (pressed.press === 'play') player.play();
          else if (pressed.press === 'pause') player.pause();
          else if (pressed.press === 'fast') player.setSpeed(Infinity);
          else if (pressed.press === 'slow') player.setSpeed(0.5);
          else if ('to' in pressed) player.seek(pressed.to);
          else if ('ms' in pressed) await clock.forward(pressed.ms);
        }
        await clock.settle();
        player.play();
        player.setSpeed(Infinity);
        await ended;
        const starts = seen.flatMap(({ seq }, index) => (seq === 0 ? [index] : []));
        for (const [index, from] of starts.entries()) {
          const given = seen.slice(from, starts[index + 1]);
          expect(given).toEqual(five.slice(0, given.length));
        }
        expect(seen.slice(starts.at(-1))).toEqual(five);
      }),
      { numRuns: 200 },
    );
  });
});
