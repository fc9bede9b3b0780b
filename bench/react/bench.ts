import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { chromium, type Browser } from 'playwright';
import { build } from 'vite';
import { launchOptions } from '../../scripts/browser.mjs';
import { sourceConditions } from '../../vite.config.ts';
import { median, printTable } from '../table.ts';
import type { FeedName } from './page/feeds.ts';
import type { ContenderName, Showing } from './page/main.tsx';

const ROUNDS = 3;
/** Nothing leaves the machine: the page's files are handed to the browser for this address. */
const ORIGIN = 'http://bench.invalid';

const contenders: ContenderName[] = ['floor', 'usePrompt', 'useChat', 'useChat, throttle 50'];
const rows: { name: string; feed: FeedName; count: number }[] = [
  { name: '1,000 deltas, one a task', feed: 'macrotask', count: 1_000 },
  { name: '5,000 deltas, one a task', feed: 'macrotask', count: 5_000 },
  { name: '20,000 deltas, one a task', feed: 'macrotask', count: 20_000 },
  { name: '2,000 deltas/s in 8 ms packets', feed: 'packets', count: 4_000 },
  { name: '20,000 deltas in one burst', feed: 'burst', count: 20_000 },
];

/** What showing an answer while it streams costs the page's main thread, in a production build in a real browser. */
export async function benchReact(executable: string | undefined): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cueline-bench-'));
  try {
    await buildPage(folder);
    const browser = await chromium.launch(launchOptions(executable));
    try {
      for (const row of rows) await benchRow(browser, folder, row);
    } finally {
      await browser.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchRow(browser: Browser, folder: string, row: (typeof rows)[number]): Promise<void> {
  const measured = contenders.map(() => [] as Measured[]);
  for (let round = 0; round < ROUNDS; round++) {
    // each goes first as often as the others, as far as the rounds allow
    for (let turn = 0; turn < contenders.length; turn++) {
      const index = (turn + round) % contenders.length;
      measured[index]!.push(await measure(browser, folder, contenders[index]!, row.feed, row.count));
    }
  }
  const busy = measured.map((of) => median(of.map(({ busyMs }) => busyMs)));
  printTable(`react: ${row.name}, median of ${ROUNDS}`, [
    ['', 'busy', 'ratio', 'renders', 'longest task'],
    ...contenders.map((name, index) => {
      const longest = median(measured[index]!.map(({ longestTask }) => longestTask));
      return [
        name,
        `${busy[index]!.toFixed(0)} ms`,
        `×${(busy[index]! / busy[0]!).toFixed(2)}`,
        String(median(measured[index]!.map(({ renders }) => renders))),
        longest === 0 ? '< 50 ms' : `${longest.toFixed(0)} ms`,
      ];
    }),
  ]);
}

type Measured = Showing & { busyMs: number };

/** One answer in a page of its own, which has shown a short one before, so that its code is loaded and warm. */
async function measure(
  browser: Browser,
  folder: string,
  name: ContenderName,
  feed: FeedName,
  count: number,
): Promise<Measured> {
  const context = await browser.newContext({ viewport: { width: 1_000, height: 800 } });
  try {
    await context.route(`${ORIGIN}/**`, (route) =>
      route.fulfill({ path: join(folder, new URL(route.request().url()).pathname) }),
    );
    const page = await context.newPage();
    await page.goto(`${ORIGIN}/index.html`);
    await page.waitForFunction(() => 'show' in window);
    await page.evaluate(([contender]) => window.show(contender, 'macrotask', 500), [name] as const);
    const session = await context.newCDPSession(page);
    // time that the thread was really running: other work on the machine is not ours
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await session.send('HeapProfiler.collectGarbage');
    const busy = async (): Promise<number> => {
      const { metrics } = await session.send('Performance.getMetrics');
      const seconds = metrics.find((metric) => metric.name === 'TaskDuration')?.value;
      if (seconds === undefined) throw new Error('This browser does not say how busy its main thread was.');
      return seconds * 1_000;
    };
    const before = await busy();
    const shown = await page.evaluate((args) => window.show(...args), [name, feed, count] as const);
    return { ...shown, busyMs: (await busy()) - before };
  } finally {
    await context.close();
  }
}

async function buildPage(folder: string): Promise<void> {
  await build({
    root: fileURLToPath(new URL('page', import.meta.url)),
    configFile: false,
    logLevel: 'warn',
    plugins: [react()],
    resolve: { conditions: [...sourceConditions, 'module', 'browser', 'production'] },
    build: { outDir: folder, emptyOutDir: true, target: 'es2023', chunkSizeWarningLimit: 2_000 },
  });
}
