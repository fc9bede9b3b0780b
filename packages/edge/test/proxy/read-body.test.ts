import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJson } from '../../src/http/read-body.ts';
import { ask, fixture, parts, refused } from './support.ts';

const limits = { bytes: 10_000, depth: 20 };

test('any object is read, in any chunks', async () => {
  const value = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 5 }), { maxKeys: 8 });
  await fc.assert(
    fc.asyncProperty(value, fc.integer({ min: 1, max: 9 }), async (value, size) => {
      const text = JSON.stringify(value);
      const bytes = new TextEncoder().encode(text);
      fc.pre(bytes.length <= limits.bytes);
      const body = new ReadableStream({
        start(controller) {
          // of a long one larger pieces, so that there are no thousands of them
          const step = Math.max(size, Math.ceil(bytes.length / 200));
          for (let at = 0; at < bytes.length; at += step) controller.enqueue(bytes.slice(at, at + step));
          controller.close();
        },
      });
      expect(await readJson(ask({ body }), limits)).toEqual(JSON.parse(text));
    }),
  );
});

test('brackets in strings do not count as depth', async () => {
  const value = { text: `${'['.repeat(50)}\\"${'{'.repeat(50)}` };
  expect(await readJson(ask({ body: value }), limits)).toEqual(value);
  await expect(
    readJson(ask({ body: { a: JSON.parse('['.repeat(20) + ']'.repeat(20)) as unknown } }), limits),
  ).rejects.toThrow('nested more than 20 levels deep');
});

test('the limit is exact to the byte', async () => {
  const body = JSON.stringify({ a: 'x'.repeat(20) });
  expect(await readJson(ask({ body }), { bytes: body.length })).toEqual({ a: 'x'.repeat(20) });
  await expect(readJson(ask({ body }), { bytes: body.length - 1 })).rejects.toMatchObject({ status: 413 });
});

test('a body that does not arrive is not awaited', async () => {
  const request = ask({ body: parts(['{"a":'], 'hang') });
  await expect(readJson(request, { ...limits, timeoutMs: 20 })).rejects.toMatchObject({ status: 408 });
});

test('a source that ignores its cancellation is not awaited', async () => {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({ cancel: () => new Promise(() => {}) });
  const request = ask({ body, headers: { 'content-length': '999999999' } });
  await expect(readJson(request, limits)).rejects.toMatchObject({ status: 413 });
});

test('an auth function that reads the body is reported differently from a missing body', async () => {
  const { proxy, sent } = fixture(undefined, {
    auth: async (request) => {
      await request.text();
      return { subject: 'ada' };
    },
  });
  expect(await refused(proxy(ask()))).toEqual({ status: 500, code: 'internal' });
  expect(sent).toEqual([]);
});
