import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { chromium, type Browser, type Page } from 'playwright';
import { build } from 'vite';
import { launchOptions } from '../../scripts/browser.mjs';
import { sourceConditions } from '../../vite.config.ts';
import { median, printTable } from '../table.ts';
import { benchMemory } from './memory.ts';
import type { ContenderName, Showing, Task } from './page/main.tsx';

const ROUNDS = 3;
/** Nothing leaves the machine: the page's files are handed to the browser for this address. */
const ORIGIN = 'http://bench.invalid';

const everyone: ContenderName[] = [
  'floor',
  'usePrompt',
  'usePrompt, throttle 50',
  'useChat',
  'useChat, throttle 50',
];

type Row = {
  name: string;
  task: Task;
  /** Default: all of them. */
  contenders?: ContenderName[];
  /** Contenders that take so long that they run only one round. */
  once?: ContenderName[];
};

const rows: Row[] = [
  { name: '1,000 deltas, one a task', task: { feed: 'macrotask', deltas: 1_000 } },
  { name: '5,000 deltas, one a task', task: { feed: 'macrotask', deltas: 5_000 } },
  { name: '20,000 deltas, one a task', task: { feed: 'macrotask', deltas: 20_000 } },
  {
    name: '20,000 deltas, one a task, after 100 messages',
    task: { feed: 'macrotask', deltas: 20_000, earlier: 100 },
  },
  { name: '2,000 deltas/s in 8 ms packets', task: { feed: 'packets', deltas: 4_000 } },
  { name: '20,000 deltas in one burst', task: { feed: 'burst', deltas: 20_000 } },
  {
    name: 'a tool argument of 80 kB in deltas of 20 bytes, read at every render',
    task: { feed: 'macrotask', bytes: 80_000 },
    once: ['useChat', 'useChat, throttle 50'],
  },
  {
    // useChat parses the whole argument again at each delta: eight times the size takes sixty-four times as long
    name: 'a tool argument of 640 kB, without useChat, which would take minutes',
    task: { feed: 'macrotask', bytes: 640_000 },
    contenders: ['floor', 'usePrompt', 'usePrompt, throttle 50'],
  },
];

/** Measures the main thread's time for showing an answer while it streams, in a production build in a real browser. */
export async function benchReact(executable: string | undefined): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cueline-bench-'));
  try {
    await buildPage(folder);
    const browser = await chromium.launch(launchOptions(executable));
    try {
      for (const row of rows) await benchRow(browser, folder, row);
      await benchMemory((use) => withPage(browser, folder, use));
    } finally {
      await browser.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchRow(browser: Browser, folder: string, row: Row): Promise<void> {
  const { name, task, contenders = everyone, once = [] } = row;
  const measured = contenders.map(() => [] as Measured[]);
  for (let round = 0; round < ROUNDS; round++) {
    // each contender goes first equally often, as far as the rounds allow
    for (let turn = 0; turn < contenders.length; turn++) {
      const index = (turn + round) % contenders.length;
      const contender = contenders[index]!;
      if (once.includes(contender) && measured[index]!.length > 0) continue;
      measured[index]!.push(await measure(browser, folder, contender, task));
    }
  }
  const busy = measured.map((of) => median(of.map(({ busyMs }) => busyMs)));
  const oneRound = once.length === 0 ? '' : ` (${once.join(' and ')}: one round)`;
  printTable(`react: ${name}, median of ${ROUNDS}${oneRound}`, [
    ['', 'busy', 'ratio', 'renders', 'longest task'],
    ...contenders.map((contender, index) => {
      const longest = median(measured[index]!.map(({ longestTask }) => longestTask));
      return [
        contender,
        `${busy[index]!.toFixed(0)} ms`,
        `×${(busy[index]! / busy[0]!).toFixed(2)}`,
        String(median(measured[index]!.map(({ renders }) => renders))),
        longest === 0 ? '< 50 ms' : `${longest.toFixed(0)} ms`,
      ];
    }),
  ]);
}

type Measured = Showing & { busyMs: number };

/**
 * Measures one answer in a page of its own, which has shown a short one before, so that its code is loaded and warm.
 */
function measure(browser: Browser, folder: string, name: ContenderName, task: Task): Promise<Measured> {
  return withPage(browser, folder, async (page) => {
    const size = 'deltas' in task ? { deltas: 500 } : { bytes: 10_000 };
    await page.evaluate((args) => window.show(...args), [name, { feed: 'macrotask', ...size }] as const);
    const session = await page.context().newCDPSession(page);
    // CPU time of the thread: other work on the machine does not count
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await session.send('HeapProfiler.collectGarbage');
    const busy = async (): Promise<number> => {
      const { metrics } = await session.send('Performance.getMetrics');
      const seconds = metrics.find((metric) => metric.name === 'TaskDuration')?.value;
      if (seconds === undefined) throw new Error('This browser does not say how busy its main thread was.');
      return seconds * 1_000;
    };
    const before = await busy();
    const shown = await page.evaluate((args) => window.show(...args), [name, task] as const);
    return { ...shown, busyMs: (await busy()) - before };
  });
}

/** The bench's page in a browser context of its own. */
async function withPage<Result>(
  browser: Browser,
  folder: string,
  use: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({ viewport: { width: 1_000, height: 800 } });
  try {
    await context.route(`${ORIGIN}/**`, (route) =>
      route.fulfill({ path: join(folder, new URL(route.request().url()).pathname) }),
    );
    const page = await context.newPage();
    await page.goto(`${ORIGIN}/index.html`);
    await page.waitForFunction(() => 'show' in window);
    return await use(page);
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
