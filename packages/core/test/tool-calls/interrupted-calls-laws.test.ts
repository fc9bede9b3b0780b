import type { RunEvent } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import {
  allWrites,
  createWorld,
  killAtRandom,
  numbering,
  openRun,
  ownReadings,
} from '../support/killed-runs.ts';
import { sampled } from '../support/sample.ts';

/** What has happened in the world when a process is killed that has written these events. */
function worldAt(log: readonly RunEvent[], known: ReturnType<typeof createWorld>) {
  const world = createWorld();
  const inputs = new Map<string, string>();
  for (const event of log) {
    const place = `${event.agent ?? ''} `;
    if (event.type === 'tool-input-end') inputs.set(place + event.toolCallId, whatOf(event.input));
    const what =
      event.type === 'tool-start'
        ? inputs.get(place + event.toolCallId)
        : event.type === 'sub-call-start'
          ? whatOf(event.input)
          : undefined;
    if (what === undefined) continue;
    if (/\d/.test(what)) world.writes.set(what, (world.writes.get(what) ?? 0) + 1);
    const key = known.keys.get(what)?.[0];
    if (key !== undefined) world.keys.set(what, [key]);
  }
  return world;
}

function whatOf(input: unknown): string {
  return (input as { what?: string }).what ?? '';
}

/** What the run itself has results of. */
function ended(log: readonly RunEvent[]): string[] {
  const inputs = new Map<string, string>();
  return log.flatMap((event) => {
    if (event.agent !== undefined) return [];
    if (event.type === 'tool-input-end') inputs.set(event.toolCallId, whatOf(event.input));
    return event.type === 'tool-end' ? [inputs.get(event.toolCallId)!] : [];
  });
}

describe('a run that was cut off after any of its events', () => {
  test('continues without repeating a writing call or losing a result', async () => {
    const newId = numbering();
    const whole = createWorld();
    const { run } = openRun(whole, [], { newId });
    expect(await run.start()).toBe('Done.');
    const log = run.log().slice();
    expect([...whole.writes.keys()].toSorted()).toEqual(allWrites);
    expect(log.length).toBeGreaterThan(60);

    for (const cut of sampled(log.map((_event, index) => index).slice(1))) {
      const before = log.slice(0, cut);
      const world = worldAt(before, whole);
      const taken = openRun(world, before, { newId });
      expect(await taken.run.retry(), `cut after ${cut}`).toBe('Done.');
      const after = taken.run.log();
      for (const [what, times] of world.writes) expect([cut, what, times]).toEqual([cut, what, 1]);
      for (const what of ended(before)) {
        const began = world.keys.get(what) ?? [];
        expect([cut, what, began.length]).toEqual([cut, what, what === 'h' || what === '' ? 0 : 1]);
      }
      for (const what of ownReadings) {
        expect([cut, what, ended(after).includes(what)]).toEqual([cut, what, true]);
        // a key is that of one call, and the call that is made again has the same
        const keys = world.keys.get(what)!;
        expect([cut, what, new Set(keys).size]).toEqual([cut, what, 1]);
      }
      expect(after.map(({ seq }) => seq)).toEqual(after.map((_, index) => index));
      expect(taken.run.getState().status).toBe('done');
    }
  });
});

test('in runs that are killed at random moments, no writing call takes effect twice', async () => {
  // 200 of them are in killed-runs.long.test.ts
  for (let seed = 1_001; seed <= 1_012; seed += 1) {
    const { world, result } = await killAtRandom(seed);
    expect([seed, result]).toEqual([seed, 'Done.']);
    for (const [what, times] of world.writes) expect([seed, what, times]).toEqual([seed, what, 1]);
  }
});
