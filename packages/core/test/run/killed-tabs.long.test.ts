import { afterEach, expect, test, vi } from 'vitest';
import { killTabs } from '../support/killed-tabs.ts';

afterEach(() => vi.unstubAllGlobals());

test('in tabs that are killed at 200 random moments, no writing call takes effect twice', async () => {
  let kills = 0;
  for (let seed = 1; kills < 200; seed += 1) {
    const { writes, ...killed } = await killTabs(seed);
    kills += killed.kills;
    expect([seed, killed]).toMatchObject([seed, { result: 'done done done', isSame: true, ends: 1 }]);
    for (const [what, times] of writes) expect([seed, what, times]).toEqual([seed, what, 1]);
  }
}, 600_000);
