import 'fake-indexeddb/auto';
import { deleteDB } from 'idb';
import { expect, test, vi } from 'vitest';
import { createMirror } from '../../src/state/documents/mirror.ts';

test('the mirror has the last text of each name, also for the next page and after the browser has cleared it', async () => {
  const name = crypto.randomUUID();
  const mirror = createMirror(name);
  expect(await mirror.read('a')).toBeUndefined();
  for (const text of ['1', '2']) await mirror.write('a', text);
  await mirror.write('b', '3');
  expect(await createMirror(name).read('a')).toBe('2');
  await deleteDB(name);
  await mirror.write('a', '4');
  expect([await mirror.read('a'), await mirror.read('b')]).toEqual(['4', undefined]);
});

test('a browser without the database has no mirror, and one that has it again does', async () => {
  vi.stubGlobal('indexedDB', undefined);
  const mirror = createMirror('none');
  await expect(mirror.read('a')).rejects.toThrow();
  await expect(mirror.write('a', '1')).rejects.toThrow();
  vi.unstubAllGlobals();
  await mirror.write('a', '2');
  expect(await mirror.read('a')).toBe('2');
});
