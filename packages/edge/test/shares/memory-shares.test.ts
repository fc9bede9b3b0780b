import { createMemoryShares } from '@cueline/edge';
import { expect, test } from 'vitest';
import { describeShareStorage } from './conformance.ts';

let clock = 1_000;
const now = () => clock;
const storage = createMemoryShares({ now });

describeShareStorage('memory', {
  open: () => storage,
  advance: (ms) => void (clock += ms),
  now,
});

test('without room, the oldest are forgotten first', async () => {
  const shares = createMemoryShares({ maxBytes: 2_600, now: () => 0 });
  const share = (length: number) => ({ body: new Uint8Array(length), expiresAt: 100 });
  const kept = async () => {
    const bodies = await Promise.all(['a', 'b', 'c', 'd'].map((id) => shares.get(id)));
    return bodies.map((body) => body?.length);
  };
  expect(await shares.put('a', share(1_000))).toBe(true);
  expect(await shares.put('b', share(1_001))).toBe(true);
  expect(await shares.put('c', share(1_002))).toBe(true);
  expect(await kept()).toEqual([undefined, 1_001, 1_002, undefined]);
  // an id that is in use evicts no other share
  expect(await shares.put('b', share(1_003))).toBe(false);
  expect(await kept()).toEqual([undefined, 1_001, 1_002, undefined]);
  expect(await shares.put('d', share(2_000))).toBe(true);
  expect(await kept()).toEqual([undefined, undefined, undefined, 2_000]);
  expect(await shares.put('a', share(1))).toBe(true);
});

test('one that is too large is refused, and nothing is forgotten for it', async () => {
  const shares = createMemoryShares({ maxBytes: 2_600, now: () => 0 });
  await shares.put('a', { body: new Uint8Array(1_000), expiresAt: 1 });
  const large = shares.put('b', { body: new Uint8Array(2_600), expiresAt: 1 });
  await expect(large).rejects.toThrow('holds at most 2600 bytes');
  expect((await shares.get('a'))?.length).toBe(1_000);
});

test('empty shares take room, too', async () => {
  const shares = createMemoryShares({ maxBytes: 10_000, now: () => 0 });
  for (let id = 0; id < 1_000; id += 1)
    await shares.put(String(id), { body: new Uint8Array(), expiresAt: 1 });
  expect(await shares.get('0')).toBeUndefined();
  expect(await shares.get('999')).toEqual(new Uint8Array());
});
