import type { CDPSession, Page } from 'playwright';
import { lastWords } from './long-run.ts';
import type { Frame } from './probes.ts';
import { onPage, untilSeen, type Setting } from './visits.ts';

/** How long the scrubber is dragged, and how often the pointer moves meanwhile, in milliseconds. */
const DRAG_MS = 4_000;
const MOVE_MS = 8;
/** The keys that are pressed while the run plays, and the time from one to the next, in milliseconds. */
const typed = 'the quick brown fox jumps over the lazy dog while it replays ';
const KEY_MS = 60;

export type LongVisit = {
  /** Milliseconds from the choice in the history until the run is drawn. */
  open: number;
  longestAtOpen: number;
  scrub: readonly Frame[];
  play: readonly Frame[];
  typing: { dropped: number; slow: readonly number[] };
};

/** A person imports a run of 20,000 events, opens it, scrubs through it, and types while it plays at full speed. */
export async function visitLongRun(setting: Setting, file: string): Promise<LongVisit> {
  const stored = { 'cueline:playground': { state: { visited: true }, version: 1 } };
  return onPage(setting, stored, { editor: '.monaco-editor .view-line' }, async (page, session) => {
    await page.goto(`${setting.host.url}/`);
    await untilSeen(page, ['editor']);
    // the rest of what loads ahead
    await page.waitForTimeout(2_000);
    await page.getByRole('button', { name: 'History' }).click();
    const buffer = Buffer.from(file);
    await page
      .getByLabel('Run file')
      .setInputFiles({ name: 'long.run.json', mimeType: 'application/json', buffer });
    const opened = await openRun(page);
    const scrub = await drag(page, session);
    const { play, typing } = await typeWhilePlaying(page, session);
    return { ...opened, scrub, play, typing };
  });
}

async function openRun(page: Page): Promise<Pick<LongVisit, 'open' | 'longestAtOpen'>> {
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
  await row.click();
  const seen = await untilSeen(page, ['answer', 'timeline', 'inspector', 'status']);
  await page.getByText(lastWords).first().waitFor();
  await page.waitForTimeout(1_000);
  const longestAtOpen = await page.evaluate(() => {
    const { longTasks, pressedAt } = window.probes;
    return Math.max(0, ...longTasks.flatMap(([start, duration]) => (start >= pressedAt ? [duration] : [])));
  });
  return { open: Math.max(...Object.values(seen)), longestAtOpen };
}

/** Drags the thumb of the slider to and fro, and notes the frames meanwhile. */
export async function drag(page: Page, session: CDPSession): Promise<readonly Frame[]> {
  const thumb = page.getByLabel('Moment').first();
  const { x, y, width, height } = (await thumb
    .locator('xpath=ancestor-or-self::*[@data-orientation or self::input][last()]')
    .boundingBox())!;
  const move = (type: 'mousePressed' | 'mouseMoved' | 'mouseReleased', at: number): Promise<unknown> =>
    session.send('Input.dispatchMouseEvent', {
      type,
      x: x + width * at,
      y: y + height / 2,
      button: 'left',
      buttons: type === 'mouseReleased' ? 0 : 1,
      clickCount: 1,
    });
  await move('mousePressed', 0.98);
  await page.evaluate(() => window.probes.watchFrames());
  const from = performance.now();
  for (let now = from; now - from < DRAG_MS; now = performance.now()) {
    // twice from the end to the start and back
    const way = ((now - from) / DRAG_MS) * 4;
    const part = way % 2 < 1 ? 1 - (way % 1) : way % 1;
    // not awaited: a pointer does not wait for a page either
    void move('mouseMoved', 0.02 + 0.96 * part);
    await page.waitForTimeout(MOVE_MS);
  }
  const frames = await page.evaluate(() => window.probes.frames());
  await move('mouseReleased', 0.5);
  return frames;
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
  await page.locator('.monaco-editor').first().locator('textarea, .native-edit-context').first().focus();
  await page.evaluate(() => {
    window.probes.slowKeys.length = 0;
    window.probes.watchFrames();
  });
  for (const key of typed) {
    const press = { key, text: key, unmodifiedText: key } as const;
    void session.send('Input.dispatchKeyEvent', { type: 'keyDown', ...press });
    void session.send('Input.dispatchKeyEvent', { type: 'keyUp', key });
    await page.waitForTimeout(KEY_MS);
  }
  await page.waitForTimeout(500);
  const isPlaying = await page.getByRole('button', { name: 'Pause', exact: true }).isVisible();
  if (!isPlaying) throw new Error('The run was over before everything was typed.');
  const play = await page.evaluate(() => window.probes.frames());
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.waitForTimeout(1_000);
  const slow = await page.evaluate(() => window.probes.slowKeys);
  const text = await page.evaluate(
    () =>
      (JSON.parse(sessionStorage.getItem('cueline:tab') ?? '{}') as { state?: { text?: string } }).state
        ?.text ?? '',
  );
  return { play, typing: { dropped: droppedOf(text), slow } };
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
