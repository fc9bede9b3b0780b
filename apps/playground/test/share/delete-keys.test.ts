import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deleteKeyOf, dropDeleteKey, keepDeleteKey } from '../../src/share/delete-keys.ts';
import { deleteShare } from '../../src/share/share-store.ts';

const NAME = 'cueline-share-keys';
const later = Date.now() + 60_000;
let stored: Map<string, string>;
let isFull: boolean;

beforeEach(() => {
  stored = new Map();
  isFull = false;
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem(name: string, value: string) {
      if (isFull) throw new Error('full');
      stored.set(name, value);
    },
  });
});
afterEach(() => void vi.unstubAllGlobals());

test('a key is stored by its share’s id, and can be removed', () => {
  keepDeleteKey({ id: 'a', key: 'k1', expiresAt: later });
  keepDeleteKey({ id: 'b', key: 'k2', expiresAt: later });
  expect([deleteKeyOf('a'), deleteKeyOf('b'), deleteKeyOf('c')]).toEqual(['k1', 'k2', undefined]);
  dropDeleteKey('a');
  expect([deleteKeyOf('a'), deleteKeyOf('b')]).toEqual([undefined, 'k2']);
});

test('expired keys are removed, and no more than 200 are kept', () => {
  keepDeleteKey({ id: 'old', key: 'k', expiresAt: Date.now() - 1 });
  expect(deleteKeyOf('old')).toBeUndefined();
  for (let at = 0; at < 250; at += 1) keepDeleteKey({ id: `${at}`, key: 'k', expiresAt: later });
  expect((JSON.parse(stored.get(NAME)!) as unknown[]).length).toBe(200);
  expect([deleteKeyOf('49'), deleteKeyOf('50'), deleteKeyOf('249')]).toEqual([undefined, 'k', 'k']);
});

test('a browser that stores nothing keeps the keys until the page is closed', () => {
  isFull = true;
  keepDeleteKey({ id: 'a', key: 'k', expiresAt: later });
  expect(deleteKeyOf('a')).toBe('k');
  dropDeleteKey('a');
  expect(deleteKeyOf('a')).toBeUndefined();
});

test.each(['', 'null', '{}', '[1,null,{"id":7}]', 'x'])('%j is not a list of keys', (text) => {
  stored.set(NAME, text);
  expect(deleteKeyOf('a')).toBeUndefined();
  keepDeleteKey({ id: 'a', key: 'k', expiresAt: later });
  expect(deleteKeyOf('a')).toBe('k');
});

test('a share is deleted with its key in a header; deleting a missing share succeeds', async () => {
  const { signal } = new AbortController();
  for (const status of [204, 404]) {
    const asked = vi.fn(async (_url: string, _sent: RequestInit) => new Response(null, { status }));
    vi.stubGlobal('fetch', asked);
    await deleteShare('https://play.example/api/shares', 'id', 'key', signal);
    const [url, sent] = asked.mock.calls[0]!;
    expect(url).toBe('https://play.example/api/shares/id');
    expect(sent).toMatchObject({ method: 'DELETE', headers: { 'x-delete-key': 'key' }, redirect: 'error' });
  }
  vi.stubGlobal('fetch', async () => new Response(null, { status: 429 }));
  await expect(deleteShare('https://play.example/s', 'id', 'key', signal)).rejects.toThrow('Try again');
});
