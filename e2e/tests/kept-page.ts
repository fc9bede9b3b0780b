import {
  test as base,
  type Browser,
  type BrowserContext,
  type CDPSession,
  type Disposable,
  type Page,
} from '@playwright/test';

/** A page that several tests use one after another, each as if it were new. */
type KeptPage = {
  readonly page: Page;
  /** Reverts the changes of a test. Returns false if that failed and the page was closed. */
  reset(): Promise<boolean>;
};

type Fixtures = {
  /** Gives a test its own browser context, for things that only a new one shows, such as a service worker. */
  fresh: boolean;
};

/** The pages, by the base URL of their tests. */
type WorkerFixtures = { keptPages: Map<string, KeptPage> };

/**
 * A `test` whose tests use one page after another. The page's process keeps what Chromium has loaded and compiled,
 * which saves half of the work of opening the playground. It does not keep what a test stored, routed, granted or set.
 */
export const test: ReturnType<typeof base.extend<Fixtures, WorkerFixtures>> = base.extend<
  Fixtures,
  WorkerFixtures
>({
  fresh: [false, { option: true }],
  keptPages: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixture names from this pattern
    async ({}, use) => use(new Map()),
    { scope: 'worker' },
  ],
  context: async ({ browser, baseURL, fresh, keptPages }, use) => {
    if (fresh) {
      const context = await browser.newContext();
      await use(context);
      await context.close();
      return;
    }
    if (baseURL === undefined) throw new Error('A kept page needs a baseURL: the origin that it clears.');
    const kept = keptPages.get(baseURL) ?? (await keepPage(browser, new URL(baseURL).origin));
    keptPages.set(baseURL, kept);
    await use(kept.page.context());
    if (!(await kept.reset())) keptPages.delete(baseURL);
  },
  page: async ({ context }, use) => use(context.pages()[0] ?? (await context.newPage())),
});

/** `origin`: the origin whose storage is cleared. */
async function keepPage(browser: Browser, origin: string): Promise<KeptPage> {
  // with the options of the configuration
  const context = await browser.newContext();
  const page = await context.newPage();
  const viewport = page.viewportSize();
  const session = await context.newCDPSession(page);
  const initScripts: Disposable[] = [];
  for (const target of [page, context]) recordInitScripts(target, initScripts);
  return {
    page,
    async reset() {
      try {
        if (page.isClosed()) throw new Error('The test has closed the page.');
        await takeBack(page, initScripts);
        if (viewport) await page.setViewportSize(viewport);
        await clearStorage(page, session, origin);
        return true;
      } catch {
        await context.close();
        return false;
      }
    },
  };
}

/** Removes what outlives the document: other pages, listeners, routes, init scripts and settings. */
async function takeBack(page: Page, initScripts: Disposable[]): Promise<void> {
  const context = page.context();
  for (const other of context.pages()) if (other !== page) await other.close();
  for (const name of ['console', 'dialog', 'request', 'response', 'requestfailed', 'requestfinished']) {
    page.removeAllListeners(name);
    context.removeAllListeners(name);
  }
  for (const name of ['download', 'pageerror', 'popup', 'websocket', 'worker']) page.removeAllListeners(name);
  for (const name of ['page', 'weberror']) context.removeAllListeners(name);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  for (const script of initScripts.splice(0)) await script.dispose();
  await context.clearPermissions();
  await context.setOffline(false);
  await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: null, forcedColors: null });
}

/** Also ends the page's document, and with it its pending writes. */
async function clearStorage(page: Page, session: CDPSession, origin: string): Promise<void> {
  // e2e/preview.config.ts serves it: a tab's session storage can be reached from its own origin only
  await page.goto(`${origin}/blank`, { timeout: 10_000 });
  await page.evaluate(() => sessionStorage.clear());
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await page.goto('about:blank');
}

/** Init scripts cannot be listed, so this records those that a test adds. */
function recordInitScripts(target: Page | BrowserContext, scripts: Disposable[]): void {
  target.addInitScript = new Proxy(target.addInitScript, {
    apply: async (add, self, args) => {
      const script: Disposable = await Reflect.apply(add, self, args);
      scripts.push(script);
      return script;
    },
  });
}
