import { describe, expect, test } from 'vitest';
import { key, origin, chatBody } from './support.ts';
import { serveBoth, stream } from './upstream.ts';

const ada = { authorization: 'Bearer ada' };

function post(url: string, more: RequestInit = {}, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/openai/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin, ...ada, ...headers },
    body: JSON.stringify({ ...chatBody, stream: true }),
    ...more,
  });
}

describe('served by Node', () => {
  test('each event arrives as soon as it is written', async () => {
    const steps: (() => void)[] = [];
    await using served = await serveBoth((response) => {
      const write = stream(response);
      write('one');
      steps.push(
        () => write('two'),
        () => response.end('data: three\n\n'),
      );
    });
    const reader = (await post(served.url)).body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe('data: one\n\n');
    steps[0]!();
    expect((await reader.read()).value).toBe('data: two\n\n');
    steps[1]!();
    expect((await reader.read()).value).toBe('data: three\n\n');
    expect((await reader.read()).done).toBe(true);
  });

  test.each(['before the first event', 'in the middle'])(
    'the connection to the provider closes at once when the caller disconnects %s',
    async (when) => {
      await using served = await serveBoth((response) => {
        if (when === 'in the middle') stream(response)('one');
      });
      const caller = new AbortController();
      const answer = post(served.url, { signal: caller.signal });
      answer.catch(() => {});
      await expect.poll(() => served.seen.length).toBe(1);
      if (when === 'in the middle') await (await answer).body!.getReader().read();
      const at = performance.now();
      caller.abort();
      await expect.poll(() => served.seen[0]!.closedAt, { interval: 5 }).toBeDefined();
      // on a quiet machine less than 200 ms; a timeout of the proxy would take a minute
      expect(served.seen[0]!.closedAt! - at).toBeLessThan(5_000);
      await expect.poll(() => served.events.at(-1)).toMatchObject({ type: 'end' });
    },
  );

  test('the provider is not read faster than the caller reads', async () => {
    let written = 0;
    const event = `data: ${'x'.repeat(60_000)}\n\n`;
    await using served = await serveBoth(
      (response) => {
        stream(response);
        const write = (): void => {
          while (written < 400_000_000 && !response.destroyed) {
            written += event.length;
            if (!response.write(event)) return;
          }
        };
        response.on('drain', write);
        write();
      },
      { limits: { responseBytes: 1e9 } },
    );
    const caller = new AbortController();
    const response = await post(served.url, { signal: caller.signal });
    const reader = response.body!.getReader();
    await reader.read();
    // until the pipes between are full
    let before = -1;
    await expect
      .poll(
        () => {
          const still = written === before;
          before = written;
          return still;
        },
        { interval: 100, timeout: 5_000 },
      )
      .toBe(true);
    expect(written).toBeLessThan(40_000_000);
    caller.abort();
  });

  test('headers of the caller do not reach the provider, and headers of the provider do not reach the caller', async () => {
    await using served = await serveBoth((response) => {
      stream(response);
      response.end('data: [DONE]\n\n');
    });
    const response = await post(
      served.url,
      {},
      {
        cookie: 'session=secret',
        'x-api-key': 'mine',
        'x-forwarded-for': '1.1.1.1',
        'x-custom': 'mine',
        referer: 'https://play.example/page',
        'openai-organization': 'org',
      },
    );
    await response.text();
    const { headers } = served.seen[0]!;
    // what Node's fetch adds by itself says nothing of the caller
    const {
      host: _host,
      connection: _connection,
      'accept-language': _any,
      'sec-fetch-mode': _mode,
      ...rest
    } = headers;
    expect(rest).toEqual({
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
      authorization: `Bearer ${key}`,
      'content-length': expect.any(String),
      'content-type': 'application/json',
      'user-agent': 'cueline-edge',
    });
    expect([...response.headers.keys()].filter((name) => !name.startsWith('access-control-'))).toEqual(
      [
        'cache-control',
        'connection',
        'content-type',
        'date',
        'keep-alive',
        'transfer-encoding',
        'vary',
        'x-accel-buffering',
        'x-content-type-options',
      ].filter((name) => response.headers.has(name)),
    );
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
  });

  test.each([301, 302, 303, 307, 308])(
    'a redirect (%i) is not followed, so no other server gets the key',
    async (status) => {
      await using elsewhere = await serveBoth((response) => response.end());
      await using served = await serveBoth((response) => {
        response.writeHead(status, { location: `${elsewhere.upstream}/chat/completions` });
        response.end();
      });
      expect((await post(served.url)).status).toBe(502);
      expect([served.seen.length, elsewhere.seen.length]).toEqual([1, 0]);
    },
  );
});
