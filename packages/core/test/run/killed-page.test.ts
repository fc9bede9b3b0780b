import { expect, test } from 'vitest';
import { killAndGoOn, openPage } from '../support/killed-page.ts';
import { after, memoryStorage } from '../support/runs.ts';

test('a page that is killed after any of its writes makes no writing call twice', async () => {
  const storage = memoryStorage();
  const { run } = openPage(storage);
  expect(await run.start()).toBe('Done.');
  await expect.poll(() => storage.logs.get('a')?.length).toBe(run.log().length);
  const batches = storage.batches.length;
  expect(batches).toBeGreaterThan(5);
  for (let count = 0; count <= batches; count += 1) {
    const text = await killAndGoOn(async (stored, page) => {
      while (page.alive && stored.batches.length < count) await after(0);
    });
    expect(text).toBe('Done.');
  }
}, 60_000);

test('a page that is killed at any moment makes no writing call twice', async () => {
  for (let ms = 0; ms < 160; ms += 8) {
    expect(await killAndGoOn(() => after(ms))).toBe('Done.');
  }
}, 60_000);
