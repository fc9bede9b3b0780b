import { expect, type Page } from '@playwright/test';
import { test as base } from './typescript-option.ts';

/** The model that a test sets before the page opens. The page never stores keys, so a test types them. */
export type Connection = {
  kind: 'demo' | 'openai' | 'compatible';
  openai: { model: string; api: 'responses' | 'chat'; baseUrl: string };
  compatible: { model: string; baseUrl: string };
};

/** The playground as a test uses it. */
export type Playground = {
  /** Opens the page with this script in the editor, as if it were stored there. */
  open(script: string, connection?: Connection): Promise<void>;
  /** Opens another script in the same page, as a file; unlike a reload, this keeps a key, which is in memory only. */
  replace(script: string): Promise<void>;
  /** Waits until the script is in the editor, whose start keeps the page busy. */
  editorReady(): Promise<void>;
  run(): Promise<void>;
  /** Waits until the run has ended this way. */
  ended(status: 'done' | 'error' | 'stopped'): Promise<void>;
  /** The longest time for which the page was blocked since the last run began, in milliseconds. */
  longestPause(): Promise<number>;
};

type Fixtures = { playground: Playground; allowedHosts: Set<string> };

/** A `test` that fails if the page sends a request to an unlisted host. */
export const test = base.extend<Fixtures>({
  // Playwright wants to see the destructuring.
  // eslint-disable-next-line no-empty-pattern
  allowedHosts: async ({}, use) => use(new Set()),
  playground: async ({ page, baseURL, allowedHosts }, use) => {
    const strangers: string[] = [];
    page.on('request', (request) => {
      const { protocol, host } = new URL(request.url());
      if (protocol === 'blob:' || protocol === 'data:' || protocol === 'about:') return;
      if (host !== new URL(baseURL ?? '').host && !allowedHosts.has(host)) strangers.push(request.url());
    });
    await use(createPlayground(page));
    expect(strangers, 'requests to other hosts').toEqual([]);
  },
});

export { expect };

function createPlayground(page: Page): Playground {
  return {
    async open(script, connection) {
      const stored = JSON.stringify({ version: 1, state: { script, ...(connection && { connection }) } });
      await page.addInitScript((text) => {
        // The sandbox's frame runs this too, and has no storage.
        if (window.top === window) localStorage.setItem('cueline:playground', text);
      }, stored);
      await page.goto('/');
      await page.evaluate(() => {
        const watched = window as unknown as { longestPause: number };
        watched.longestPause = 0;
        let last = performance.now();
        setInterval(() => {
          const now = performance.now();
          watched.longestPause = Math.max(watched.longestPause, now - last);
          last = now;
        }, 10);
      });
      await expect(page.getByTestId('run-button')).toBeVisible();
    },
    async replace(script) {
      const file = { name: 'another.ts', mimeType: 'text/plain', buffer: Buffer.from(script) };
      await page.getByLabel('Script file').setInputFiles(file);
      await expect.poll(() => page.evaluate(storedScript)).toBe(script);
    },
    editorReady: () => expect(page.locator('.monaco-editor .view-line').first()).toBeVisible(),
    async run() {
      await page.evaluate(() => {
        (window as unknown as { longestPause: number }).longestPause = 0;
      });
      await page.getByTestId('run-button').click();
    },
    ended: (status) => expect(page.getByTestId('status')).toHaveAttribute('data-status', status),
    longestPause: () => page.evaluate(() => (window as unknown as { longestPause: number }).longestPause),
  };
}

/** The script that the page keeps for the next visit; runs in the page. */
function storedScript(): unknown {
  const stored = JSON.parse(sessionStorage.getItem('cueline:tab') ?? '{}') as { state?: { text?: unknown } };
  return stored.state?.text;
}

/** A script with the message `message` and one tool whose function has this body. */
export function scriptWithTool(body: string, message = 'Use the tool.'): string {
  return `import { definePrompt } from '@cueline/core';
import { z } from 'zod';

export default definePrompt('test', async (prompt) => {
  prompt.defTool('go', 'Does it.', z.object({}), async () => {
    ${body}
  });
  prompt.$\`${message}\`;
});
`;
}

export const good = scriptWithTool("return { answer: 'forty-two' };");
