import { expect, test } from 'vitest';
import { ask, chatBody, stream } from '../send-request.ts';
import { key, page, type Tried } from '../served-app.ts';
import { serveUpstream } from '../upstream.ts';

/** What a runtime's own fetch says, which is nothing of the caller. */
const byRuntime = new Set([
  'host',
  'connection',
  'accept-language',
  'sec-fetch-mode',
  'transfer-encoding',
  'content-length',
]);

/** Headers pass by name only, in both directions, and a redirect leads nowhere. */
export function checkHeaders(tried: Tried): void {
  test('no header of the caller reaches the provider', async () => {
    tried.upstream.answer((response) => {
      stream(response);
      response.end('data: [DONE]\n\n');
    });
    const response = await ask(tried, {
      body: { ...chatBody, stream: true },
      headers: {
        cookie: 'session=secret',
        'x-api-key': 'mine',
        'x-forwarded-for': '1.1.1.1',
        'x-custom': 'mine',
        'cf-connecting-ip': '1.1.1.1',
        referer: 'https://play.example/page',
        'accept-encoding': 'gzip',
        'openai-organization': 'org',
      },
    });
    await response.text();
    const [seen] = tried.upstream.seen;
    const told = Object.entries(seen!.headers).filter(([name]) => !byRuntime.has(name));
    expect(Object.fromEntries(told)).toEqual({
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'user-agent': 'cueline-edge',
    });
  });

  test('only rate limit headers of the provider reach the caller', async () => {
    tried.upstream.answer((response) => {
      stream(response, {
        'set-cookie': 'a=b',
        server: 'provider',
        'x-powered-by': 'provider',
        'openai-organization': 'org-of-the-server',
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=99',
        'x-request-id': 'req_1',
        'x-ratelimit-remaining-requests': '7',
      });
      response.end('data: [DONE]\n\n');
    });
    const response = await ask(tried, { body: { ...chatBody, stream: true } });
    await response.text();
    const ofConnections = new Set([
      'connection',
      'content-length',
      'date',
      'keep-alive',
      'transfer-encoding',
    ]);
    const got = [...response.headers].filter(([name]) => !ofConnections.has(name));
    expect(Object.fromEntries(got)).toEqual({
      'access-control-allow-origin': page,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': expect.stringMatching(/^retry-after, retry-after-ms, x-request-id,/),
      'cache-control': 'no-store, no-transform',
      'content-type': 'text/event-stream; charset=utf-8',
      vary: expect.stringMatching(/^origin/i),
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'req_1',
      'x-ratelimit-remaining-requests': '7',
    });
  });

  test('a refusal has the same headers, so that the page can read it', async () => {
    const response = await ask(tried, { body: { ...chatBody, model: 'gpt-y' } });
    expect([response.status, Object.fromEntries(response.headers)]).toEqual([
      403,
      expect.objectContaining({
        'access-control-allow-origin': page,
        'cache-control': 'no-store, no-transform',
        'x-content-type-options': 'nosniff',
        'content-type': 'application/json',
      }),
    ]);
  });

  test.each([301, 302, 303, 307, 308])(
    'a redirect (%i) is refused, and no other server is asked',
    async (status) => {
      await using elsewhere = await serveUpstream();
      tried.upstream.answer((response) => {
        response.writeHead(status, { location: `${elsewhere.url}/v1/chat/completions` }).end();
      });
      const response = await ask(tried);
      const { error } = (await response.json()) as { error: { code: string } };
      expect([response.status, error.code]).toEqual([502, 'upstream_redirect']);
      expect([tried.upstream.seen.length, elsewhere.seen.length]).toEqual([1, 0]);
    },
  );
}
