import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createApp } from '../../../../apps/edge-example/src/create-app.ts';

const page = 'https://desk.example';

/** The example with a provider that answers so, until the end of the test. */
export async function openDesk(answer: RequestListener) {
  const provider = createServer(answer);
  onTestFinished(() => void provider.close());
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const app = createApp({
    ASSETS: {
      fetch: async () => new Response('<html></html>', { headers: { 'content-type': 'text/html' } }),
    },
    ORIGINS: page,
    SESSION_SECRET: 'a long random text',
    OPENAI_API_KEY: 'sk-test',
    OPENAI_API_BASE: `${address}/v1`,
    CUELINE_MODEL: 'gpt-x',
  });
  /** Asks as a session that has just begun. */
  const ask = async (path: string, body: unknown): Promise<[status: number, answer: unknown]> => {
    const opened = await app(new Request(page));
    const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';');
    const headers = {
      'content-type': 'application/json',
      'cf-connecting-ip': '203.0.113.7',
      origin: page,
      cookie,
    };
    const request = new Request(`${page}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const response = await app(request);
    return [response.status, await response.json()];
  };
  return { address, ask };
}
