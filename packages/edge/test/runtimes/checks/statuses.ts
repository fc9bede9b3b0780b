import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { as, ask, chatBody, newSubject, type Ask } from '../send-request.ts';
import type { Tried } from '../served-app.ts';
import type { Answer } from '../upstream.ts';
import { openWire, post } from '../wire.ts';

type Case = [status: number, code: string, what: string, ask: Ask];

const chat = (more: object): Ask => ({ body: { ...chatBody, ...more } });
const deep = `${'['.repeat(80)}${']'.repeat(80)}`;

/** What is refused before anything is sent to a provider. */
const refused: Case[] = [
  [400, 'invalid_json', 'no JSON', { body: '{"model":' }],
  [400, 'invalid_json', 'no UTF-8', { body: new Uint8Array([0x7b, 0xff, 0x7d]) }],
  [400, 'invalid_body', 'no object', { body: '[]' }],
  [400, 'invalid_json', 'nothing', { body: '' }],
  [400, 'invalid_json', 'nothing but a byte order mark and text', { body: '\ufeffx' }],
  [400, 'invalid_body', 'too deep', { body: `{"x":${deep}}` }],
  [400, 'invalid_query', 'a query', { path: '/openai/chat/completions?key=1' }],
  [400, 'unsupported_field', 'several answers', chat({ n: 2 })],
  [401, 'unauthorized', 'nobody', { headers: { authorization: undefined } }],
  [401, 'unauthorized', 'a stranger', { headers: { authorization: 'Bearer ' } }],
  [402, 'budget_exceeded', 'more than is left', { headers: { authorization: 'Bearer poor/1' } }],
  [403, 'origin_denied', 'another page', { headers: { origin: 'https://evil.example' } }],
  [403, 'origin_denied', 'a page without a name', { headers: { origin: 'null' } }],
  [403, 'model_denied', 'another model', chat({ model: 'gpt-y' })],
  [403, 'tool_denied', 'a tool of the provider', chat({ tools: [{ type: 'web_search' }] })],
  [404, 'unknown_path', 'another path', { path: '/openai/files' }],
  [404, 'unknown_path', 'an encoded slash', { path: '/openai/chat%2Fcompletions' }],
  [404, 'unknown_provider', 'another provider', { path: '/evil/chat/completions' }],
  [405, 'method_not_allowed', 'GET', { method: 'GET' }],
  [405, 'method_not_allowed', 'DELETE', { method: 'DELETE' }],
  [413, 'too_large', 'a long body', { at: 'small', ...chat({ user: 'x'.repeat(4_000) }) }],
  [415, 'unsupported_media_type', 'no content-type of JSON', { headers: { 'content-type': 'text/plain' } }],
  [
    415,
    'unsupported_media_type',
    'a packed body',
    { body: gzipSync(JSON.stringify(chatBody)), headers: { 'content-encoding': 'gzip' } },
  ],
  [503, 'unavailable', 'a store of limits that is down', { at: 'down' }],
  [503, 'unavailable', 'a provider without a key', { path: '/keyless/chat/completions' }],
];

const json =
  (status: number, text: string, headers: object = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);

/** What a provider does, and what the caller gets. */
const upstream: [...Case, Answer][] = [
  [502, 'upstream_auth', 'does not know the key', {}, json(401, '{"error":{"message":"Bad key"}}')],
  [502, 'upstream_unpaid', 'has no money', {}, json(402, '{}')],
  [502, 'upstream_malformed', 'sends no JSON object', {}, json(200, '[1')],
  [
    502,
    'upstream_content_type',
    'sends a page',
    {},
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<b>'),
  ],
  [502, 'upstream_too_large', 'sends too much', { at: 'small' }, json(200, `"${'x'.repeat(9_000)}"`)],
  [
    502,
    'upstream_broken',
    'breaks off',
    {},
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 99 });
      response.write('{"a":');
      setTimeout(() => response.destroy(), 20);
    },
  ],
  [502, 'upstream_unreachable', 'closes the connection', {}, (response) => response.destroy()],
  [504, 'upstream_timeout', 'says nothing', { at: 'short' }, () => {}],
  [
    504,
    'upstream_timeout',
    'falls silent',
    { at: 'short' },
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    },
  ],
  [504, 'upstream_timeout', 'takes too long in all', { at: 'brief' }, () => {}],
];

/** Every status that can be brought about from outside. */
export function checkStatuses(tried: Tried): void {
  const codeOf = async (response: Response): Promise<[number, string]> => {
    const { error } = (await response.json()) as { error: { code: string } };
    return [response.status, error.code];
  };

  test.each(refused)('%i %s: %s', async (status, code, _what, request) => {
    tried.upstream.answer((response) => response.end());
    expect(await codeOf(await ask(tried, request))).toEqual([status, code]);
    expect(tried.upstream.seen).toEqual([]);
  });

  test.each(upstream)('%i %s: a provider that %s', async (status, code, _what, request, answer) => {
    tried.upstream.answer(answer);
    expect(await codeOf(await ask(tried, request))).toEqual([status, code]);
    expect(tried.upstream.seen.length).toBe(1);
  });

  test('502 upstream_unreachable: a provider that does not exist', async () => {
    expect(await codeOf(await ask(tried, { path: '/nowhere/chat/completions' }))).toEqual([
      502,
      'upstream_unreachable',
    ]);
  });

  test('a refusal of the provider keeps its status, and does not contain the key', async () => {
    tried.upstream.answer(
      json(429, '{"error":{"message":"Slow down, sk-live-0123456789abcdef"}}', { 'retry-after': '7' }),
    );
    const response = await ask(tried);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await response.json()).toMatchObject({ error: { message: 'Slow down, [redacted]' } });
  });

  test('429 rate_limited: with the time to retry', async () => {
    tried.upstream.answer(json(200, '{}'));
    const given = { at: 'rare', headers: as(newSubject()) };
    expect((await ask(tried, given)).status).toBe(200);
    const response = await ask(tried, given);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(Number(response.headers.get('retry-after-ms'))).toBeGreaterThan(50_000);
    expect(await codeOf(response)).toEqual([429, 'rate_limited']);
    expect(tried.upstream.seen.length).toBe(1);
  });

  test('204 for a preflight of an allowed page, and 403 for another page', async () => {
    const headers = {
      authorization: undefined,
      'content-type': undefined,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    };
    const response = await ask(tried, { method: 'OPTIONS', headers });
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': 'https://play.example',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': expect.stringContaining('authorization, content-type'),
    });
    const denied = await ask(tried, {
      method: 'OPTIONS',
      headers: { ...headers, origin: 'https://evil.example' },
    });
    expect([denied.status, denied.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });

  describe('on the wire', () => {
    test('408 body_timeout: a body that does not arrive', async () => {
      const wire = await openWire(tried);
      wire.write(post('/body', 'content-length: 50\r\n', '{"a":'));
      expect(await wire.until(/}}/)).toMatch(/^HTTP\/1\.1 408 [^]*"body_timeout"/);
      wire.close();
    });

    test('413 too_large: an endless body in chunks', async () => {
      const wire = await openWire(tried);
      const chunk = `400\r\n${' '.repeat(1_024)}\r\n`;
      wire.write(post('/body', 'transfer-encoding: chunked\r\n', chunk));
      wire.write(chunk + chunk);
      expect(await wire.until(/}}/)).toMatch(/^HTTP\/1\.1 413 [^]*"too_large"/);
      wire.close();
    });

    test('413 too_large: a declared length that is too large, without reading the body', async () => {
      const wire = await openWire(tried);
      wire.write(post('/body', 'content-length: 9000000\r\n', ''));
      expect(await wire.until(/}}/)).toMatch(/^HTTP\/1\.1 413 [^]*"too_large"/);
      wire.close();
    });

    const whole = JSON.stringify(chatBody);
    const length = `content-length: ${whole.length}\r\n`;
    test.each<[string, string, string]>([
      ['a length that is too short', 'content-length: 10\r\n', whole],
      ['two lengths', `content-length: 3\r\n${length}`, whole],
      ['two framings', `${length}transfer-encoding: chunked\r\n`, whole],
      ['an invalid chunk', 'transfer-encoding: chunked\r\n', 'zz\r\n'],
      ['two origins', `${length}origin: https://play.example\r\norigin: https://evil.example\r\n`, whole],
    ])('400 or so: %s', async (_what, framing, body) => {
      tried.upstream.answer((response) => response.end());
      const wire = await openWire(tried);
      wire.write(post('/normal/openai/chat/completions', framing, body));
      // some only close the connection
      expect(await wire.until(/\r\n\r\n/)).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
      wire.close();
      expect(tried.upstream.seen).toEqual([]);
    });

    test('the same request without the attack is answered', async () => {
      tried.upstream.answer(json(200, '{}'));
      const wire = await openWire(tried);
      wire.write(post('/normal/openai/chat/completions', length, whole));
      expect(await wire.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 200 /);
      wire.close();
    });
  });
}
