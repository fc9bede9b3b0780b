import { deflateRawSync, gzipSync } from 'node:zlib';
import { decodeLink, encodeLink, LINK_BYTES } from '@cueline/core/link';
import { createMemoryShares, type ShareStorage } from '@cueline/edge';
import { describe, expect, test } from 'vitest';
import { base, body, fixture, get, log, put, refused, script, send } from './support.ts';

/** A storage that says what it was asked. */
function watched(): { storage: ShareStorage; asked: string[] } {
  const inner = createMemoryShares();
  const asked: string[] = [];
  return {
    asked,
    storage: {
      put: (id, share) => (asked.push(`put ${id}`), inner.put(id, share)),
      get: (id) => (asked.push(`get ${id}`), inner.get(id)),
      remove: (id, owner) => (asked.push(`remove ${id}`), inner.remove(id, owner)),
    },
  };
}

/** A link of this JSON, with a correct length and checksum, as any client can make one. */
function sealed(json: string): string {
  const payload = deflateRawSync(json).toString('base64url');
  let hash = 0x811c9dc5;
  for (const char of payload) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
  return `v1.s.${payload}.${payload.length.toString(36)}-${(hash >>> 0).toString(36)}`;
}

test('the seal of these tests is a right one', () => {
  expect(decodeLink(`#${sealed(JSON.stringify({ script }))}`)).toEqual({ script });
});

describe('ids', () => {
  const known = 'AAAAAAAAAAAAAAAAAAAAAA';
  test.each([
    'AAAAAAAAAAAAAAAAAAAAA',
    'AAAAAAAAAAAAAAAAAAAAAAA',
    // 128 bits end in a letter with four bits of nothing
    'AAAAAAAAAAAAAAAAAAAAAB',
    'AAAAAAAAAAAAAAAAAAAAA=',
    'AAAAAAAAAAAAAAAAAAAA==',
    'AAAAAAAAAAAAAAAAAAAA+/',
    '%41AAAAAAAAAAAAAAAAAAAAA',
    `${known}%00`,
    `${known}%0A`,
    `${known}/`,
    `${known}/..`,
    `x/../${known}x`,
    `${known}%2F..%2F${known}`,
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e/%2e%2e/x',
    '*',
    '%2A',
    'cueline:share:*',
    '__proto__',
    'constructor',
    '',
    '/',
    `/${known}`,
    `${known};a=b`,
    '%',
    '%E0%A4%A',
    'ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄA',
    'a'.repeat(5_000),
  ])('%j is not an id, and no storage is asked', async (id) => {
    const { storage, asked } = watched();
    const { store } = fixture({ storage });
    expect(await refused(store(get(id)))).toEqual([404, 'unknown_share']);
    expect(asked).toEqual([]);
  });

  test('never put, expired and malformed have one and the same answer', async () => {
    let now = 0;
    const { store } = fixture({ now: () => now, limits: { lifetimeMs: 10 } });
    const id = await put(store);
    now = 10;
    const answers = await Promise.all(
      [id, known, 'x', '..%2f'].map(async (one) => {
        const { status, headers, ...response } = await store(get(one)).then(async (answer) => ({
          status: answer.status,
          headers: Object.fromEntries(answer.headers),
          text: await answer.text(),
        }));
        return { status, headers, ...response };
      }),
    );
    expect(answers[0]!.status).toBe(404);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  test('one with a query is the same share', async () => {
    const { store } = fixture();
    const id = await put(store);
    expect((await store(get(`${id}?format=html`))).headers.get('content-type')).toBe(
      'application/octet-stream',
    );
  });

  test.each(['PUT', 'POST', 'PATCH', 'HEAD', 'PROPFIND'])('%s changes nothing', async (method) => {
    const { storage, asked } = watched();
    const { store } = fixture({ storage });
    const id = await put(store);
    asked.length = 0;
    const response = await store(send({ method, url: `${base}/${id}`, body: encodeLink({ script }) }));
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, DELETE, OPTIONS');
    // the answer does not say whether it exists
    expect((await store(send({ method, url: `${base}/${known}` }))).status).toBe(405);
    expect(asked).toEqual([]);
    expect(await (await store(get(id))).text()).toBe(body);
  });

  test('DELETE without the key of the share changes nothing, and reveals nothing', async () => {
    const { storage, asked } = watched();
    const { store } = fixture({ storage });
    const { id } = (await (await store(send())).json()) as { id: string };
    const other = (await (await store(send())).json()) as { deleteKey: string };
    asked.length = 0;
    const keys = [null, '', 'ada', '*', id, other.deleteKey, 'A'.repeat(22)];
    const answers = keys.map((key) =>
      store(send({ method: 'DELETE', url: `${base}/${id}`, body: null, headers: { 'x-delete-key': key } })),
    );
    for (const answer of answers) expect(await refused(answer)).toEqual([404, 'unknown_share']);
    expect(asked).toEqual([`remove ${id}`, `remove ${id}`, `remove ${id}`]);
    expect(await (await store(get(id))).text()).toBe(body);
  });

  test.each(['PUT', 'DELETE', 'PATCH', 'HEAD', 'LIST'])('%s lists nothing', async (method) => {
    const { store } = fixture();
    const response = await store(send({ method }));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST, OPTIONS']);
  });

  test.each(['?id=AAAAAAAAAAAAAAAAAAAAAA', '#AAAAAAAAAAAAAAAAAAAAAA'])(
    'a put with %s chooses no id',
    async (more) => {
      const { storage, asked } = watched();
      const { store } = fixture({ storage });
      expect((await store(send({ url: base + more }))).status).toBe(201);
      expect(asked).not.toContain(`put ${known}`);
    },
  );

  test('an address with two slashes, or dots, is not the place', async () => {
    const { store } = fixture();
    for (const url of [`${base}/`, `${base}//`, base.replace('/api', '//api'), `${base}.json`, `${base}x`]) {
      expect((await store(send({ url }))).status).toBe(405);
      expect(await refused(store(send({ url, method: 'GET' })))).toEqual([404, 'unknown_share']);
    }
  });
});

describe('bodies', () => {
  const long = 'x'.repeat(3_000);
  const chunked = (size: number): ReadableStream<Uint8Array<ArrayBuffer>> => {
    let sent = 0;
    return new ReadableStream({
      pull(controller) {
        if ((sent += 1_024) > size) controller.close();
        else controller.enqueue(new Uint8Array(1_024).fill(65));
      },
    });
  };

  test('is as large as it may be to the byte', async () => {
    const exact = fixture({ limits: { bodyBytes: body.length } });
    expect((await exact.store(send())).status).toBe(201);
    const less = fixture({ limits: { bodyBytes: body.length - 1 } });
    expect(await refused(less.store(send()))).toEqual([413, 'too_large']);
  });

  test('without a length is counted while it comes, and no more is read', async () => {
    const { store } = fixture({ limits: { bodyBytes: 10_000 } });
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => ((pulled += 1), controller.enqueue(new Uint8Array(1_024))),
    });
    expect(await refused(store(send({ body: endless })))).toEqual([413, 'too_large']);
    expect(pulled).toBeLessThan(20);
  });

  type Sent = Parameters<typeof send>[0];

  test.each<[string, Sent | (() => Sent), [number, string]]>([
    ['nothing', { body: '' }, [400, 'invalid_body']],
    ['no body', { body: null }, [400, 'invalid_body']],
    ['a page', { body: '<!doctype html><script>alert(1)</script>' }, [400, 'invalid_body']],
    ['a page after a link', { body: `${body}<script>` }, [400, 'invalid_body']],
    ['a link and a line', { body: `${body}\n` }, [400, 'invalid_body']],
    ['a whole address', { body: `https://play.example/#${body}` }, [400, 'invalid_body']],
    ['a link with its #', { body: `#${body}` }, [400, 'invalid_body']],
    ['an image', { body: Uint8Array.of(0x89, 0x50, 0x4e, 0x47) }, [400, 'invalid_body']],
    ['JSON', { body: JSON.stringify({ script }) }, [400, 'invalid_body']],
    ['noise', () => ({ body: chunked(4_096) }), [400, 'invalid_body']],
    ['a link cut off', { body: body.slice(0, -3) }, [400, 'invalid_body']],
    ['a link with one letter changed', { body: body.replace(/.\./, 'A.') }, [400, 'invalid_body']],
    ['another version', { body: body.replace('v1', 'v2') }, [400, 'invalid_body']],
    ['a link of nothing', { body: sealed('{}') }, [400, 'invalid_body']],
    ['a link of a list', { body: sealed('[]') }, [400, 'invalid_body']],
    ['a script that is no text', { body: sealed('{"script":{"a":1}}') }, [400, 'invalid_body']],
    ['a log that is none', { body: sealed('{"log":"x"}') }, [400, 'invalid_body']],
    ['an empty log', { body: sealed('{"log":[]}') }, [400, 'invalid_body']],
    [
      'a log without a beginning',
      { body: sealed('{"log":[{"seq":0,"t":0,"type":"warning"}]}') },
      [400, 'invalid_body'],
    ],
    ['a log with gaps', { body: sealed(JSON.stringify({ log: [log[0], log[0]] })) }, [400, 'invalid_body']],
    [
      'an event with values too deep to be written again',
      {
        body: sealed(`{"log":[{"seq":0,"type":"run-start","a":${'['.repeat(90_000)}${']'.repeat(90_000)}}]}`),
      },
      [413, 'too_large'],
    ],
    ['a bomb', { body: sealed(`{"script":"${'a'.repeat(LINK_BYTES)}"}`) }, [413, 'too_large']],
    ['a larger bomb', { body: sealed(`{"script":"${'a'.repeat(60_000_000)}"}`) }, [413, 'too_large']],
    [
      'gzip',
      { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } },
      [415, 'unsupported_media_type'],
    ],
    ['gzip that is not named', { body: gzipSync(body) }, [400, 'invalid_body']],
    ['a form', { headers: { 'content-type': 'text/plain' } }, [415, 'unsupported_media_type']],
    [
      'a form with a file',
      { headers: { 'content-type': 'multipart/form-data; boundary=x' } },
      [415, 'unsupported_media_type'],
    ],
    ['no type', { headers: { 'content-type': null } }, [415, 'unsupported_media_type']],
    ['a length that is told wrong', { headers: { 'content-length': '3' } }, [400, 'invalid_length']],
    ['a length of no number', { headers: { 'content-length': '1e3' } }, [400, 'invalid_length']],
    ['two lengths', { headers: { 'content-length': `${body.length}, 3` } }, [400, 'invalid_length']],
    ['a large length', { headers: { 'content-length': '9999999999' } }, [413, 'too_large']],
    ['a large body', () => ({ body: chunked(2 << 20) }), [413, 'too_large']],
  ])('%s is refused, and nothing is kept', async (_name, sent, expected) => {
    const { storage, asked } = watched();
    const { store } = fixture({ storage });
    expect(await refused(store(send(typeof sent === 'function' ? sent() : sent)))).toEqual(expected);
    expect(asked).toEqual([]);
  });

  test('what is hidden beside a script is not kept', async () => {
    const { store } = fixture();
    const given = sealed(JSON.stringify({ script, file: long, key: 'sk-live-0123456789' }));
    const response = await store(send({ body: given.replace('v1.s.', 'v1.srxy.') }));
    const { id } = (await response.json()) as { id: string };
    expect(await (await store(get(id))).text()).toBe(encodeLink({ script }).slice(1));
  });
});
