import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../../../apps/edge-example/src/create-app.ts';

const page = 'https://desk.example';
const usage = { input_tokens: 4_999_000, output_tokens: 1_000 };
let calls = 0;
const provider = createServer((_request, response) => {
  calls += 1;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ id: 'r1', object: 'response', output: [], usage }));
});
beforeAll(() => new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve)));
afterAll(() => void provider.close());

test('new sessions of the example get no new budget: its proxy and its route share one total limit', async () => {
  const app = createApp({
    ASSETS: {
      fetch: async () => new Response('<html></html>', { headers: { 'content-type': 'text/html' } }),
    },
    ORIGINS: page,
    SESSION_SECRET: 'a long random text',
    OPENAI_API_KEY: 'sk-test',
    OPENAI_API_BASE: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`,
    CUELINE_MODEL: 'gpt-x',
  });
  /** Asks as a session that has just begun. */
  const ask = async (path: string, body: unknown): Promise<Response> => {
    const opened = await app(new Request(page));
    const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';');
    const headers = {
      'content-type': 'application/json',
      'cf-connecting-ip': '203.0.113.7',
      origin: page,
      cookie,
    };
    return app(new Request(`${page}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
  };
  const callModel = (): Promise<Response> =>
    ask('/api/models/openai/responses', { model: 'gpt-x', input: 'Hi.' });

  expect((await callModel()).status).toBe(200);
  expect(calls).toBe(1);
  const refused = { error: { code: 'total_exceeded' } };
  const proxied = await callModel();
  expect([proxied.status, await proxied.json()]).toMatchObject([503, refused]);
  const routed = await ask('/api/prompts', { prompt: 'read-booking', input: { letter: 'Dear desk' } });
  expect([routed.status, await routed.json()]).toMatchObject([503, refused]);
  expect(calls).toBe(1);
});
