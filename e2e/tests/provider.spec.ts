import type { Page } from '@playwright/test';
import { midstreamMessage } from '../server/faults.ts';
import { startModelServer, type ModelServer } from '../server/server.ts';
import { expect, scriptWithTool, test as base, type Connection, type Playground } from './sandbox-support.ts';

const key = 'sk-e2e-4f1c0ffee0123456789abcdef';

type Fixtures = {
  server: ModelServer;
  /** Opens the page with this script and a model of the server, and types the key as a user would. */
  connect(script: string, api: 'responses' | 'chat', model?: string): Promise<void>;
};

const test = base.extend<Fixtures>({
  server: async ({ allowedHosts }, use) => {
    const server = await startModelServer({ toolInputs: { getWeather: { city: 'Oslo' } } });
    allowedHosts.add(new URL(server.baseURL).host);
    await use(server);
    await server.close();
  },
  connect: async ({ page, playground, server }, use) => {
    await use((script, api, model = 'test-model') =>
      openConnected(page, playground, script, {
        kind: 'openai',
        openai: { model, api, baseUrl: server.baseURL },
        compatible: { model: '', baseUrl: '' },
      }),
    );
  },
});

async function openConnected(
  page: Page,
  playground: Playground,
  script: string,
  connection: Connection,
): Promise<void> {
  await playground.open(script, connection);
  await page.getByTestId('model').click();
  await page.getByLabel(/^API key/).fill(key);
  await page.getByRole('button', { name: 'Use this model' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
}

/** Selects another model of the same server, and keeps the key. */
async function setModel(page: Page, id: string): Promise<void> {
  await page.getByTestId('model').click();
  await page.getByLabel('Model id').fill(id);
  await page.getByRole('button', { name: 'Use this model' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
}

const weather = `import { definePrompt } from '@cueline/core';
import { z } from 'zod';

export default definePrompt('weather', async (prompt) => {
  prompt.defSystem('role', 'You are brief.');
  prompt.defTool('getWeather', 'Weather for a city', z.object({ city: z.string() }), async ({ city }) => {
    return { city, celsius: 21 };
  });
  prompt.$\`How warm is it in Oslo?\`;
});
`;

for (const api of ['responses', 'chat'] as const) {
  const path = api === 'chat' ? '/v1/chat/completions' : '/v1/responses';

  // tests that the other format shares with this one are long tests
  const tag = api === 'responses' ? [] : ['@long'];

  test.describe(`OpenAI over HTTP, ${api}`, () => {
    test(
      'text and a tool call stream in, and only the server sees the key',
      { tag },
      async ({ page, playground, server, connect }) => {
        await connect(weather, api);
        await playground.run();
        await playground.ended('done');
        const card = page.locator('[data-tool=getWeather]');
        await expect(card).toHaveAttribute('data-state', 'output-available');
        await expect(card).toContainText('Oslo');
        await expect(page.getByLabel('Answer', { exact: true }).last()).toContainText('"celsius":21');

        const { calls } = server;
        expect(calls.map((call) => call.path)).toEqual([path, path]);
        expect(calls.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`, `Bearer ${key}`]);
        expect(calls[0]?.text).toContain('You are brief.');
        const stored = await page.evaluate(() =>
          JSON.stringify([localStorage, sessionStorage, location.href]),
        );
        expect(stored).toContain(server.baseURL);
        expect(stored).not.toContain(key);
      },
    );

    test(
      'a slow answer is shown while it arrives, and Stop ends the request',
      { tag },
      async ({ page, playground, server, connect }) => {
        server.plan([{ text: Array.from({ length: 1_000 }, (_, index) => `word${index}`).join(' ') }]);
        await connect('export default (prompt) => { prompt.$`Count.`; };', api, 'slow');
        await playground.run();
        await expect(page.getByLabel('Answer', { exact: true })).toContainText('word2');
        await expect(page.getByTestId('status')).toHaveAttribute('data-status', 'running');
        await page.getByTestId('stop-button').click();
        await playground.ended('stopped');
        await expect(page.getByLabel('Answer', { exact: true })).toContainText('word2');
        await expect.poll(() => server.requests.at(-1)?.aborted).toBe(true);
      },
    );

    // one after another in one page, with the key typed once
    test(
      'a failure of the provider is reported with its cause',
      { tag: '@long' },
      async ({ page, playground, connect }) => {
        const error = page.getByTestId('run-error');
        await connect(weather, api, 'fault-401');

        await test.step('a refused key: the provider’s words, without the key', async () => {
          await playground.run();
          await playground.ended('error');
          await expect(error).toContainText('401');
          await expect(error).toContainText('Incorrect API key provided');
          await expect(error.getByRole('button', { name: 'Model settings' })).toBeVisible();
          expect(await page.content()).not.toContain(key);
        });

        await test.step('a server that does not allow this page: what to do about it', async () => {
          await setModel(page, 'fault-cors');
          await playground.run();
          await playground.ended('error');
          await expect(error).toContainText("the server must allow this page's origin");
        });

        await test.step('a stream that ends inside tool arguments ends the run as failed', async () => {
          await setModel(page, 'fault-truncated');
          await playground.run();
          await playground.ended('error');
          await expect(error).toContainText('cut off');
          await expect(page.locator('[data-tool=getWeather]')).not.toHaveAttribute(
            'data-state',
            'output-available',
          );
        });

        await test.step('an error in the middle of the stream keeps what came before', async () => {
          await setModel(page, 'fault-midstream');
          await playground.replace('export default (prompt) => { prompt.$`one two three four`; };');
          await playground.run();
          await playground.ended('error');
          await expect(error).toContainText(midstreamMessage);
          await expect(page.getByLabel('Answer', { exact: true })).toContainText('You said');
        });
      },
    );
  });
}

test('a script that sends everything it can reach to the model does not send the key', async ({
  page,
  playground,
  server,
  connect,
}) => {
  // A first run with an error that repeats the key, so that the worker could have it.
  await connect(weather, 'responses', 'fault-401');
  await playground.run();
  await playground.ended('error');
  await setModel(page, 'test-model');

  // A planned answer, because the server's own rule would repeat the whole dump.
  server.plan([{ toolCall: {} }, { text: 'Thanks.' }]);
  await playground.replace(nosy);
  await playground.run();
  await playground.ended('done');
  await expect(page.locator('[data-tool=go]')).toHaveAttribute('data-state', 'output-available');

  const bodies = server.calls.map(({ text }) => text);
  const dump = bodies.at(-1) ?? '';
  expect(dump.length, 'the dump has arrived').toBeGreaterThan(20_000);
  expect(dump, 'it has the page’s messages in it').toContain('model-parts');
  expect(dump, 'and the global object').toContain('WorkerGlobalScope');
  expect(bodies.join('\n')).not.toContain(key);
  expect(bodies.join('\n')).not.toContain(key.slice(3));
});

/** Records all messages of the page, collects all reachable values, and sends them to the model. */
const nosy = scriptWithTool(
  `
    const seen = new Set<unknown>();
    const lines: string[] = [];
    let size = 0;
    const walk = (value: any, path: string, depth: number): void => {
      if (size > 2_000_000) return;
      const add = (text: string) => { const line = path + '=' + text; size += line.length; lines.push(line); };
      if (typeof value === 'string') return add(value.slice(0, 20_000));
      if (typeof value === 'function') add(Function.prototype.toString.call(value).slice(0, 3_000));
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
      seen.add(value);
      if (depth > 6) return;
      for (const name of Reflect.ownKeys(value)) {
        let next: unknown;
        try { next = value[name]; } catch { continue; }
        walk(next, path + '.' + String(name), depth + 1);
      }
      if (value instanceof Map || value instanceof Set) for (const entry of value) walk(entry, path + '[]', depth + 1);
      walk(Object.getPrototypeOf(value), path + '.__proto__', depth + 1);
    };
    walk((globalThis as any).heard, 'messages', 0);
    walk(prompt, 'prompt', 0);
    walk(globalThis, 'global', 0);
    walk(new Error('here').stack, 'stack', 0);
    return lines.join('\\n');
`,
  'Use the tool.',
).replace(
  'export default',
  `(globalThis as any).heard = [];
addEventListener('message', (event: any) => (globalThis as any).heard.push(event.data, event.ports, event.origin, event.source));

export default`,
);
