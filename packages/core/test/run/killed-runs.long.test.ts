import { expect, test } from 'vitest';
import { killAtRandom } from '../support/killed-runs.ts';

test('in 200 runs that are killed at random moments, no writing call takes effect twice', async () => {
  let kills = 0;
  for (let seed = 1; seed <= 200; seed += 1) {
    const killed = await killAtRandom(seed);
    kills += killed.kills;
    expect([seed, killed.result]).toEqual([seed, 'Done.']);
    for (const [what, times] of killed.world.writes) expect([seed, what, times]).toEqual([seed, what, 1]);
  }
  expect(kills).toBeGreaterThan(200);
}, 300_000);
