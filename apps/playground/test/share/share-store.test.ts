import { afterEach, expect, test, vi } from 'vitest';
import { askTerms, deleteShare, getShare, putShare, readShareAddress } from '../../src/share/share-store.ts';

const page = 'https://play.example/app/index.html#x';
const address = 'https://play.example/api/shares';
const id = 'AbCdEfGhIjKlMnOpQrSt-A';
const never = () => new AbortController().signal;

/** Gives this answer to every request, and returns the requests. */
function answering(answer: () => Response | Promise<Response>): { url: string; sent: RequestInit }[] {
  const asked: { url: string; sent: RequestInit }[] = [];
  vi.stubGlobal('fetch', async (url: string, sent: RequestInit) => {
    asked.push({ url, sent });
    return answer();
  });
  return asked;
}

afterEach(() => void vi.unstubAllGlobals());

test.each([
  ['/api/shares', 'https://play.example/api/shares'],
  [' /api/shares/ ', 'https://play.example/api/shares'],
  ['shares', 'https://play.example/app/shares'],
  ['https://keep.example/s', 'https://keep.example/s'],
  ['https://keep.example/s?x#y', 'https://keep.example/s'],
  ['', undefined],
  ['   ', undefined],
  [undefined, undefined],
  ['javascript:alert(1)', undefined],
  ['data:text/plain,x', undefined],
  ['https://user:pass@keep.example/s', undefined],
  ['https://', undefined],
])('a host that sets %j up keeps things at %j', (content, expected) => {
  expect(readShareAddress(content, page)).toBe(expected);
});

test("an upload sends the visitor's session at the store, and nothing else about the page", async () => {
  const asked = answering(() => Response.json({ id, expiresAt: 7 }, { status: 201 }));
  expect(await putShare(address, 'v1.s.x.y')).toEqual({ id, expiresAt: 7 });
  expect(asked).toMatchObject([
    {
      url: address,
      sent: {
        method: 'POST',
        body: 'v1.s.x.y',
        headers: { 'content-type': 'application/octet-stream' },
        credentials: 'include',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
      },
    },
  ]);
});

test('a share is fetched by its id, and returned unchanged', async () => {
  const asked = answering(() => new Response('v1.s.x.y'));
  expect(await getShare(address, id, never())).toBe('v1.s.x.y');
  expect(asked).toMatchObject([{ url: `${address}/${id}`, sent: { redirect: 'error', cache: 'no-store' } }]);
  expect(asked[0]!.sent.credentials).toBeUndefined();
});

test('a share that is gone has no content, and a store that is gone is no store', async () => {
  answering(() => new Response('{}', { status: 404 }));
  expect(await getShare(address, id, never())).toBeUndefined();
  for (const doing of [() => askTerms(address, never()), () => putShare(address, '')])
    await expect(doing()).rejects.toThrow('is not a share store');
});

test('a store reports how long it keeps a share', async () => {
  answering(() => Response.json({ bodyBytes: 1, lifetimeMs: 1_000 }));
  expect(await askTerms(address, never())).toEqual({ lifetimeMs: 1_000 });
});

test.each([
  [401, 'signed in'],
  [403, 'does not accept requests from this page'],
  [413, 'too large for the share store'],
  [429, 'asked the share store too often'],
  [503, 'failed (503)'],
])('status %i is a sentence', async (status, words) => {
  answering(() => new Response('<b>secret</b>', { status }));
  for (const doing of [() => getShare(address, id, never()), () => putShare(address, '')]) {
    await expect(doing()).rejects.toMatchObject({
      name: 'ShareError',
      message: expect.stringContaining(words),
    });
    await expect(doing()).rejects.not.toThrow('secret');
  }
});

test('an unreachable store and being offline are reported too', async () => {
  answering(() => Promise.reject(new TypeError('Failed to fetch')));
  vi.stubGlobal('navigator', { onLine: true });
  await expect(getShare(address, id, never())).rejects.toThrow('cannot be reached');
  vi.stubGlobal('navigator', { onLine: false });
  await expect(getShare(address, id, never())).rejects.toThrow('You are offline');
});

test('an endless answer is cut', async () => {
  let pulled = 0;
  const endless = () =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => ((pulled += 1), controller.enqueue(new Uint8Array(100_000).fill(65))),
    });
  answering(() => new Response(endless()));
  await expect(getShare(address, id, never())).rejects.toThrow('too large for a shared run');
  expect(pulled).toBeLessThan(30);
});

test.each(['', 'null', '[]', '{}', '{"id":7,"expiresAt":7}', '{"lifetimeMs":"30 days"}'])(
  'an answer of %j does not come from a share store',
  async (text) => {
    answering(() => new Response(text));
    await expect(putShare(address, '')).rejects.toThrow('is not a share store');
    await expect(askTerms(address, never())).rejects.toThrow('is not a share store');
  },
);

test('a web page does not count as an answer of a share store', async () => {
  answering(() => new Response('\n<!doctype html><title>Home</title>'));
  for (const doing of [
    () => getShare(address, id, never()),
    () => putShare(address, ''),
    () => askTerms(address, never()),
    () => deleteShare(address, id, 'key', never()),
  ]) {
    await expect(doing()).rejects.toThrow(
      /answered with a web page\. The operator of this site can check its address/,
    );
  }
});
