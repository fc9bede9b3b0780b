import type { Browser, CDPSession, Page } from 'playwright';
import { lastWords } from './long-run.ts';
import { traceFrames, traceTasks } from './trace.ts';
import { onPage, untilSeen, type Setting } from './visits.ts';

/** How long the thumb is held before it is moved, in milliseconds: what the press shows is drawn by then. */
const HELD_MS = 500;
/** The moves by which the pointer goes from one end of the scrubber to the other. */
const SWEEP = 240;
/** The keys that are pressed while the run plays, and the time from one to the next, in milliseconds. */
const typed = 'the quick brown fox jumps over the lazy dog while it replays ';
const KEY_MS = 60;
const textArea = '.monaco-editor textarea, .monaco-editor .native-edit-context';

/** Milliseconds that the page's thread ran while the scrubber was dragged. */
export type Drag = {
  /** For the longest task of the press. */
  press: number;
  /** For each frame of the drag. */
  frames: readonly number[];
};

export type LongVisit = {
  /** Milliseconds from the choice in the history until the end of the run is on the page. */
  open: number;
  /** The same for its timeline and its inspector. */
  details: number;
  longestAtOpen: number;
  scrub: Drag;
  /** Milliseconds that the page's thread ran for a frame while the run played, on average. */
  play: number;
  typing: { dropped: number; slow: readonly number[] };
};

/** A person imports a run of 20,000 events, opens it, scrubs through it, and types while it plays at full speed. */
export async function visitLongRun(setting: Setting, file: string): Promise<LongVisit> {
  const stored = { 'cueline:playground': { state: { visited: true }, version: 1 } };
  return onPage(setting, stored, { editor: '.monaco-editor .view-line' }, async (page, session) => {
    await page.goto(`${setting.host.url}/`);
    await untilSeen(session, ['editor']);
    // the rest of what loads ahead
    await page.waitForTimeout(2_000);
    await page.getByRole('button', { name: 'History' }).click();
    const buffer = Buffer.from(file);
    await page
      .getByLabel('Run file')
      .setInputFiles({ name: 'long.run.json', mimeType: 'application/json', buffer });
    // otherwise the animated message about the import would be measured, too
    const message = page.locator('[data-sonner-toast]').first();
    await message.waitFor();
    await message.waitFor({ state: 'detached' });
    const opened = await openRun(setting, page, session);
    const scrub = await drag(setting.browser, page, session);
    const { play, typing } = await typeWhilePlaying(page, session);
    return { ...opened, scrub, play, typing };
  });
}

async function openRun(
  { browser }: Setting,
  page: Page,
  session: CDPSession,
): Promise<Pick<LongVisit, 'open' | 'details' | 'longestAtOpen'>> {
  const row = page.getByTestId('stored-run').first();
  await row.waitFor({ timeout: 60_000 });
  await page.waitForTimeout(500);
  await page.evaluate(() =>
    window.probes.lookFor({
      answer: '[aria-label="Run"] [aria-label="Answer"]',
      timeline: '[aria-label="Timeline"] [role="row"]',
      inspector: '[aria-label="Inspector"]',
      status: '[data-testid="status"][data-status="done"]',
    }),
  );
  const longest = await traceTasks(browser, page);
  await row.click();
  const { answer, status, timeline, inspector } = await untilSeen(session, [
    'answer',
    'timeline',
    'inspector',
    'status',
  ]);
  await page.getByText(lastWords).first().waitFor();
  await page.waitForTimeout(1_000);
  return {
    open: Math.max(answer!, status!),
    details: Math.max(timeline!, inspector!),
    longestAtOpen: await longest('pressed'),
  };
}

/**
 * Drags the thumb of the slider to the start and back. Milliseconds that the page's thread ran for each frame of it:
 * what else the machine does makes the frames late, but not these times longer.
 */
export async function drag(browser: Browser, page: Page, session: CDPSession): Promise<Drag> {
  const slider = page
    .getByLabel('Moment')
    .first()
    .locator('xpath=ancestor-or-self::*[@data-orientation or self::input][last()]');
  const { x, y, width, height } = (await slider.boundingBox())!;
  const mouse = (type: 'mousePressed' | 'mouseMoved' | 'mouseReleased', at: number): Promise<unknown> =>
    session.send('Input.dispatchMouseEvent', {
      type,
      x: x + width * at,
      y: y + height / 2,
      button: 'left',
      buttons: type === 'mouseReleased' ? 0 : 1,
      clickCount: 1,
    });
  const longest = await traceTasks(browser, page);
  await mouse('mousePressed', 0.98);
  await page.waitForTimeout(HELD_MS);
  const press = await longest('pressed');
  const frames = await traceFrames(browser, page);
  for (let move = 0; move < 2 * SWEEP; move++) {
    const way = move / SWEEP;
    // the page answers at its next frame
    await mouse('mouseMoved', 0.02 + 0.96 * Math.abs(1 - way));
  }
  const drawn = { press, frames: await frames() };
  await mouse('mouseReleased', 0.98);
  return drawn;
}

/**
 * Reads how long the page's thread has run so far, in milliseconds, without the time that it waited for other
 * programs.
 */
async function threadTime(session: CDPSession): Promise<() => Promise<number>> {
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const seconds = metrics.find((metric) => metric.name === 'TaskDuration')?.value;
    if (seconds === undefined) throw new Error('This browser does not say how busy its main thread was.');
    return seconds * 1_000;
  };
}

async function typeWhilePlaying(
  page: Page,
  session: CDPSession,
): Promise<Pick<LongVisit, 'play' | 'typing'>> {
  const speed = page.getByRole('button', { name: /^Speed/ });
  while (!(await speed.textContent())?.includes('8')) await speed.click();
  // from the start
  await page.getByLabel('Moment').first().focus();
  await page.keyboard.press('Home');
  await page.locator('.monaco-editor .view-line').last().click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  // the pointer went to the button
  await page.locator(textArea).first().focus();
  const { frame, slow } = await typeKeys(page, session);
  const isPlaying = await page.getByRole('button', { name: 'Pause', exact: true }).isVisible();
  if (!isPlaying) throw new Error('The run was over before everything was typed.');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  return { play: frame, typing: { dropped: droppedOf(await typedText(page)), slow } };
}

/** Types the same into the bare page's editor. Milliseconds that the page's thread ran for a frame, on average. */
export async function typeOnly(setting: Setting): Promise<number> {
  return onPage(setting, {}, { editor: '.monaco-editor .view-line' }, async (page, session) => {
    await page.goto(`${setting.host.url}/#editor`);
    await untilSeen(session, ['editor']);
    await page.waitForTimeout(2_000);
    await page.locator('.monaco-editor .view-line').last().click();
    await page.keyboard.press('ControlOrMeta+End');
    return (await typeKeys(page, session)).frame;
  });
}

type Typing = {
  /** Milliseconds that the page's thread ran for a frame, on average. */
  frame: number;
  /** Milliseconds from a key to its frame, for those that took 16 ms or longer. */
  slow: readonly number[];
};

/** Types into the editor that has the focus. */
async function typeKeys(page: Page, session: CDPSession): Promise<Typing> {
  const busy = await threadTime(session);
  const before = await busy();
  await page.evaluate(() => {
    window.probes.slowKeys.length = 0;
    window.probes.frames = 0;
  });
  for (const key of typed) {
    const press = { key, text: key, unmodifiedText: key } as const;
    void session.send('Input.dispatchKeyEvent', { type: 'keyDown', ...press });
    void session.send('Input.dispatchKeyEvent', { type: 'keyUp', key });
    await page.waitForTimeout(KEY_MS);
  }
  await page.waitForTimeout(500);
  const time = (await busy()) - before;
  const { frames, slow } = await page.evaluate(() => {
    const { frames: count, slowKeys } = window.probes;
    return { frames: count, slow: slowKeys };
  });
  return { frame: time / frames, slow };
}

/** The text that the page keeps, once nothing has been added to it for a second. */
async function typedText(page: Page): Promise<string> {
  const read = (): string =>
    (JSON.parse(sessionStorage.getItem('cueline:tab') ?? '{}') as { state?: { text?: string } }).state
      ?.text ?? '';
  for (let before = await page.evaluate(read); ;) {
    await page.waitForTimeout(1_000);
    const text = await page.evaluate(read);
    if (text === before) return text;
    before = text;
  }
}

/** How many of the typed keys are not in the text, in their order. */
function droppedOf(text: string): number {
  const arrived = text.slice(text.lastIndexOf('// ') + 3);
  let found = 0;
  for (const key of typed) if (arrived[found] === key) found += 1;
  return typed.length - (arrived === typed ? typed.length : Math.min(found, typed.length - 1));
}

/** How many keys are pressed. */
export const keyCount: number = typed.length;
