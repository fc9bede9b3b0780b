import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createApp } from '../../../../apps/edge-example/src/create-app.ts';

const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  response.end('secret');
});
afterAll(() => void server.close());

test('the example refuses a letter with an outside file, and fetches nothing', async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const page = 'https://desk.example';
  const app = createApp({
    ASSETS: {
      fetch: async () => new Response('<html></html>', { headers: { 'content-type': 'text/html' } }),
    },
    ORIGINS: page,
    SESSION_SECRET: 'a long random text',
    OPENAI_API_KEY: 'sk-test',
    OPENAI_API_BASE: `${base}/v1`,
  });
  const opened = await app(new Request(page));
  const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';');
  for (const letter of [
    { type: 'file', data: `${base}/secret`, mediaType: 'text/plain' },
    { type: 'file', data: base.replace('127.0.0.1', 'localhost'), mediaType: 'text/plain' },
    [{ type: 'image', image: `${base}/secret` }],
    { type: 'text', text: 'Hi.', providerOptions: { openai: { store: true } } },
  ]) {
    const response = await app(
      new Request(`${page}/api/prompts`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'cf-connecting-ip': '203.0.113.7',
          origin: page,
          cookie,
        },
        body: JSON.stringify({ prompt: 'read-booking', input: { letter } }),
      }),
    );
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: 'invalid_input', message: expect.stringContaining('input.letter: ') as string } },
    ]);
  }
  expect(asked).toEqual([]);
});
