import { defineConfig, devices } from '@playwright/test';
import { launchOptions } from '../scripts/browser.mjs';

const playground = 'http://localhost:4173';
const reactExample = 'http://localhost:4174';

const chromium = { ...devices['Desktop Chrome'], viewport: { width: 1440, height: 900 } };

/** Tests with this tag resemble others that run every time: `pnpm test:long` runs them. */
const long = /@long/;

/** Tests that measure times. */
const measuring = /(react-probes|limits)\.spec\.ts$/;

/** Tests of the built apps. Build them first, or run `pnpm test:e2e`, which does. */
export default defineConfig({
  testDir: './tests',
  ...(process.env.CUELINE_E2E === 'long' ? { grep: long } : { grepInvert: long }),
  outputDir: './test-results',
  // Each test drives a page, a sandbox and a server, which wait for each other: three keep two cores busy.
  workers: 3,
  // by tests and not by files, so that no worker waits for the longest file of the other
  fullyParallel: true,
  // CI tries a failed test once more and names it in its summary; elsewhere the first failure counts.
  retries: process.env.CUELINE_CI ? 1 : 0,
  // Three pages with an editor share two cores. A step that takes a second alone takes ten beside the others, and
  // thirty on a machine that has other work.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  reporter: [
    ['list'],
    ['json', { outputFile: process.env.CUELINE_E2E_RESULTS ?? './test-results/results.json' }],
  ],
  use: {
    baseURL: playground,
    // The trace of a failure has its steps, network, console and a last screenshot. Screenshots and snapshots of every
    // step would take as much time as the tests themselves: ask for them with `--trace on`.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false },
    screenshot: 'only-on-failure',
    launchOptions: launchOptions(),
    // each test loads the build that is served; offline.spec.ts has the page kept
    serviceWorkers: 'block',
  },
  projects: [
    { name: 'chromium', use: chromium, testIgnore: measuring },
    // one at a time, after all others
    {
      name: 'measuring',
      use: chromium,
      testMatch: measuring,
      dependencies: ['chromium'],
      workers: 1,
      fullyParallel: false,
    },
  ],
  webServer: [preview('../apps/playground', playground), preview('../apps/react-example', reactExample)],
});

function preview(app: string, url: string) {
  return {
    command: `node node_modules/vite/bin/vite.js preview --config ../../e2e/preview.config.ts --port ${new URL(url).port} --strictPort`,
    cwd: app,
    url,
    reuseExistingServer: false,
  };
}
