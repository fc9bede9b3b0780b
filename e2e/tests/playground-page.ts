import { inflateRawSync } from 'node:zlib';
import { expect, type Locator, type Page } from '@playwright/test';
import { startModelServer, type ModelServer } from '../server/server.ts';
import { test as base } from './typescript-option.ts';

/** The playground as a user sees and operates it. */
export type Playground = {
  readonly page: Page;
  readonly editor: Locator;
  readonly status: Locator;
  /** Opens the page as a returning user without stored data, and waits for the editor. */
  open(hash?: string): Promise<void>;
  /** Puts an example into the editor, by its title. */
  pick(example: string): Promise<void>;
  /** Replaces the whole script. */
  write(script: string): Promise<void>;
  /** The script as text, through the link that Share makes of it; the editor draws only the lines in view. */
  script(): Promise<string>;
  /** The hash of the link to the script. */
  link(): Promise<string>;
  /** Opens a link, as when the user pastes it into the address bar of the same tab. */
  follow(hash: string): Promise<void>;
  run(): Promise<void>;
  /** Waits until the run has ended, and returns how. */
  ended(): Promise<string | null>;
  tool(name: string): Locator;
  agent(name: string): Locator;
  /** The row of a task, by the task's id. */
  task(id: string): Locator;
  /** The approvals and client tool calls of the run. */
  readonly approval: Locator;
};

const thisMachine = new Set(['localhost', '127.0.0.1']);

/** `test` with the playground. It fails on a request to any host but this machine, and on an uncaught error. */
export const test: ReturnType<typeof base.extend<{ playground: Playground }>> = base.extend<{
  playground: Playground;
}>({
  playground: async ({ page }, use) => {
    const foreign: string[] = [];
    // On the context, so that requests of frames and workers count as well.
    page.context().on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (protocol.startsWith('http') && !thisMachine.has(hostname)) foreign.push(request.url());
    });
    const uncaught: string[] = [];
    page.context().on('weberror', (event) => uncaught.push(event.error().message));
    await use(onPage(page));
    expect(foreign, 'requests to other hosts').toEqual([]);
    expect(uncaught, 'uncaught errors').toEqual([]);
  },
});

export { expect };

export function onPage(page: Page): Playground {
  const editor = page.locator('.monaco-editor').first();
  const status = page.getByTestId('status');
  /** The hash of the link that Share makes of the script. */
  async function link(): Promise<string> {
    await page.getByTestId('share').click();
    const field = page.getByLabel('Link to this script');
    const { hash } = new URL(await field.inputValue());
    await page.keyboard.press('Escape');
    // a closing dialog returns the focus a moment later, and would take it from the next control
    await expect(field).toHaveCount(0);
    await expect(page.getByTestId('share')).toBeFocused();
    return hash;
  }

  return {
    page,
    editor,
    status,
    link,
    follow: (hash) => page.evaluate((to) => void (location.hash = to), hash),
    async open(hash = '') {
      await page.addInitScript(rememberVisit);
      await page.goto(`/${hash}`);
      await expect(editor.locator('.view-line').first()).toBeVisible();
    },
    async pick(example) {
      await page.getByRole('button', { name: 'Examples' }).click();
      await page.getByRole('menuitem', { name: new RegExp(`^${example}`) }).click();
    },
    async write(script) {
      await editor.locator('.view-line').first().click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.press('Delete');
      // Pasted, because the editor indents what is typed.
      await editor
        .locator('textarea, .native-edit-context')
        .first()
        .evaluate((target, text) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData('text/plain', text);
          target.dispatchEvent(
            new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
          );
        }, script);
      // the editor handles a paste later, and so does the page
      for (const line of endOf(script)) await expect(editor.locator('.view-lines')).toContainText(line);
    },
    script: async () => scriptOf(await link()),
    async run() {
      await page.getByTestId('run-button').click();
    },
    async ended() {
      await expect(status).toHaveAttribute('data-status', /done|stopped|error/, { timeout: 120_000 });
      return status.getAttribute('data-status');
    },
    tool: (name) => page.locator(`[data-tool="${name}"]`),
    agent: (name) => page.locator(`[data-agent="${name}"]`),
    task: (id) => page.locator(`[data-task="${id}"]`),
    approval: page.getByTestId('approval'),
  };
}

/** Marks the visitor as known, because a first visitor sees a recorded run. */
function rememberVisit(): void {
  try {
    const key = 'cueline:playground';
    if (localStorage.getItem(key) === null) {
      localStorage.setItem(key, JSON.stringify({ state: { visited: true }, version: 1 }));
    }
  } catch {
    // the sandbox's frame has no storage
  }
}

/** Lines that are in view after a script was pasted, when the cursor is at its end; none of them can be folded. */
function endOf(script: string): string[] {
  const lines = script.split('\n').map((line) => line.trim());
  return lines.slice(-8).filter((line) => line !== '' && line.length <= 60);
}

/** Sets a model of a server on this machine, in the model dialog. */
async function useServer(page: Page, baseURL: string): Promise<void> {
  await page.getByTestId('model').click();
  await page.getByLabel('OpenAI-compatible server').click();
  await page.getByLabel('Base URL', { exact: true }).fill(baseURL);
  await page.getByLabel('Model id').fill('test-model');
  await page.getByRole('button', { name: 'Use this model' }).click();
}

/** A server on this machine with planned answers, set as the page's model. */
export async function withServer(page: Page, use: (server: ModelServer) => Promise<void>): Promise<void> {
  const server = await startModelServer();
  try {
    await useServer(page, server.baseURL);
    await use(server);
  } finally {
    await server.close();
  }
}

/** The script in a link: `#v1.s.<deflate-raw, base64url>.<length and checksum>`. */
function scriptOf(hash: string): string {
  const [, , body = ''] = hash.split('.');
  const content = JSON.parse(inflateRawSync(Buffer.from(body, 'base64url')).toString()) as { script: string };
  return content.script;
}
