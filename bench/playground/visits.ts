import { setTimeout } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright';
import { installProbes } from './probes.ts';
import type { Host } from './serve.ts';
import { traceTasks } from './trace.ts';
import { wrongLine } from './wrong-line.ts';

/** Where a page is, and how many times slower its main thread runs than this machine. */
export type Setting = { browser: Browser; host: Host; slowdown: number };

const editor = '.monaco-editor .view-line';
const wrong = '.monaco-editor .squiggly-error';
const answer = '[aria-label="Answer"]';

/** How long something may take before the bench fails, in milliseconds. */
const PATIENCE = 90_000;
/** How long it waits before it looks again, in milliseconds. */
const POLL_MS = 250;
/** How long after it is ready a page is watched for tasks that come later, in milliseconds. */
const AFTERWARDS = 3_000;

/** Bytes by what they are for. */
export type Sent = { all: number; entry: number; editor: number; types: number; sandbox: number };

export type Visit = { seen: Record<string, number>; longest: number; sent: Sent };

/** The first visit of a person: a recording plays, and the editor and its types load. */
export async function visitFirst(setting: Setting): Promise<Visit> {
  const selectors = {
    recording: `[aria-label="Run"]:has([data-testid="recording"]) [aria-label="User message"]`,
    editor,
    checked: '[aria-label="Script"] footer:has(.text-ok)',
  };
  return onPage(setting, {}, selectors, async (page, session) => {
    const longest = await traceTasks(setting.browser, page);
    await page.goto(`${setting.host.url}/`);
    await untilSeen(session, Object.keys(selectors));
    return endOfVisit(page, setting.host, longest);
  });
}

export type RunVisit = Visit & { longestAfterRun: number };

/** A person comes back to a script with a wrong line, and runs it with a model on this machine that answers at once. */
export async function visitAgain(setting: Setting): Promise<RunVisit> {
  const text = `export default (prompt: any) => { prompt.$\`Say something.\`; };\n${wrongLine}`;
  const open = { id: 'bench', origin: 'own', kept: true, revision: 1, isSaved: true };
  const compatible = { model: 'bench', baseUrl: `${setting.host.url}/v1` };
  const stored = {
    'cueline:script': { state: { open, text }, version: 1 },
    'cueline:playground': {
      state: { visited: true, connection: { kind: 'compatible', compatible } },
      version: 1,
    },
  };
  return onPage(setting, stored, { editor, wrong }, async (page, session) => {
    const longest = await traceTasks(setting.browser, page);
    await page.goto(`${setting.host.url}/`);
    await untilSeen(session, ['editor', 'wrong']);
    const visit = await endOfVisit(page, setting.host, longest);
    const run = await firstWord(setting.browser, page, session, '[data-testid="run-button"]');
    return { ...visit, seen: { ...visit.seen, word: run.word }, longestAfterRun: run.longest };
  });
}

/** The bare page with an editor and the same wrong line. */
export async function visitBareEditor(setting: Setting): Promise<Visit> {
  return onPage(setting, {}, { editor, wrong }, async (page, session) => {
    const longest = await traceTasks(setting.browser, page);
    await page.goto(`${setting.host.url}/#editor`);
    await untilSeen(session, ['editor', 'wrong']);
    return endOfVisit(page, setting.host, longest);
  });
}

/** The bare page that shows the same answer. */
export async function visitBareStream(setting: Setting): Promise<{ word: number; longest: number }> {
  return onPage(setting, {}, { button: 'button' }, async (page, session) => {
    await page.goto(`${setting.host.url}/#stream`);
    await untilSeen(session, ['button']);
    return firstWord(setting.browser, page, session, 'button');
  });
}

/** Presses the button; milliseconds until the first word is on the page, and the longest task until a second later. */
async function firstWord(
  browser: Browser,
  page: Page,
  session: CDPSession,
  button: string,
): Promise<{ word: number; longest: number }> {
  await page.evaluate((selector) => window.probes.lookFor({ word: selector }), answer);
  const longest = await traceTasks(browser, page);
  await page.locator(button).first().click();
  const { word } = await untilSeen(session, ['word']);
  await page.waitForTimeout(1_000);
  return { word: word!, longest: await longest('pressed') };
}

async function endOfVisit(
  page: Page,
  host: Host,
  longest: Awaited<ReturnType<typeof traceTasks>>,
): Promise<Visit> {
  await page.waitForTimeout(AFTERWARDS);
  const seen = await page.evaluate(() => ({
    ...window.probes.seen,
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  }));
  return { seen, longest: await longest('firstContentfulPaint'), sent: sentBytes(host) };
}

/** What the host has sent in this visit. */
function sentBytes(host: Host): Sent {
  const html = host.text('index.html');
  const sent: Sent = { all: 0, entry: 0, editor: 0, types: 0, sandbox: 0 };
  for (const [path, bytes] of host.takeSent()) {
    sent.all += bytes;
    if (path.endsWith('.js') && html.includes(path.slice(1))) sent.entry += bytes;
    else if (path.includes('editor-types')) sent.types += bytes;
    else if (path.includes('sandbox-runtime')) sent.sandbox += bytes;
    else if (
      /worker|editor|monaco|standaloneServices|textModel|view-|runOnChange|tsMode|codicon|typescript/.test(
        path,
      )
    )
      sent.editor += bytes;
  }
  return sent;
}

/** Opens a page with an empty cache, slowed down, whose local storage holds `stored`. */
export async function onPage<Result>(
  { browser, slowdown, host }: Setting,
  stored: Record<string, unknown>,
  selectors: Record<string, string>,
  use: (page: Page, session: CDPSession) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({
    viewport: { width: 1_440, height: 900 },
    // it would keep everything for times without a network, beside what is measured
    serviceWorkers: 'block',
  });
  try {
    host.takeSent();
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await page.addInitScript(installProbes, selectors);
    await page.addInitScript((items) => {
      if (window !== window.top) return;
      for (const [key, value] of Object.entries(items)) localStorage.setItem(key, JSON.stringify(value));
    }, stored);
    return await use(page, session);
  } finally {
    await context.close();
  }
}

/**
 * Waits until a frame has shown all of these; milliseconds of each. It reads them without Playwright, which would
 * compile a large script in the page while the page loads.
 */
export async function untilSeen(
  session: CDPSession,
  names: readonly string[],
): Promise<Record<string, number>> {
  const deadline = performance.now() + PATIENCE;
  while (performance.now() < deadline) {
    const { result } = await session.send('Runtime.evaluate', {
      expression: 'window.probes?.seen',
      returnByValue: true,
    });
    const seen = (result.value ?? {}) as Record<string, number>;
    if (names.every((name) => seen[name] !== undefined)) return seen;
    await setTimeout(POLL_MS);
  }
  throw new Error(`The page did not show all of these: ${names.join(', ')}.`);
}
