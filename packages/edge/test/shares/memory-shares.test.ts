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

test('what has no room is refused, until what was there has expired', async () => {
  let at = 0;
  const shares = createMemoryShares({ maxBytes: 2_600, now: () => at });
  const body = new Uint8Array(1_000);
  expect(await shares.put('a', { body, expiresAt: 100 })).toBe(true);
  expect(await shares.put('b', { body, expiresAt: 200 })).toBe(true);
  await expect(shares.put('c', { body, expiresAt: 300 })).rejects.toThrow('no room');
  at = 100;
  expect(await shares.put('c', { body, expiresAt: 300 })).toBe(true);
  await expect(shares.put('d', { body, expiresAt: 300 })).rejects.toThrow('no room');
  expect(await shares.get('a')).toBeUndefined();
  expect((await shares.get('b'))?.length).toBe(1_000);
});

test('empty shares take room, too', async () => {
  const shares = createMemoryShares({ maxBytes: 10_000, now: () => 0 });
  const put = async () => {
    for (let id = 0; id < 1_000; id += 1)
      await shares.put(String(id), { body: new Uint8Array(), expiresAt: 1 });
  };
  await expect(put()).rejects.toThrow('no room');
});
