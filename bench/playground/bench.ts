import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { launchOptions } from '../../scripts/browser.mjs';
import { buildPages } from './build.ts';
import { longRunFile } from './long-run.ts';
import { measure } from './measure.ts';
import { printLongRun, printSizes, printVisits } from './print.ts';
import { serve } from './serve.ts';

/** How much slower than this machine the page's main thread runs. */
const slowdowns = [1, 4];

/** What the built playground costs a visitor, beside pages that do one part of it and nothing else. */
export async function benchPlayground(executable: string | undefined): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cueline-bench-'));
  try {
    await buildPages(folder);
    const file = await longRunFile();
    await using playground = await serve(join(folder, 'playground'));
    await using bare = await serve(join(folder, 'bare'));
    const browser = await chromium.launch(launchOptions(executable));
    try {
      for (const slowdown of slowdowns) {
        const measured = await measure({ browser, slowdown, playground, bare, file });
        if (slowdown === slowdowns[0]) printSizes(measured);
        printVisits(slowdown, measured);
        printLongRun(slowdown, measured);
      }
    } finally {
      await browser.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
