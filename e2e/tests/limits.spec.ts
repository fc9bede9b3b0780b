import process from 'node:process';
import type { RunEvent } from '@cueline/core';
import type { Page } from '@playwright/test';
import { craftLink } from './craft-link.ts';
import { eventsOf, most } from './many-events.ts';
import { expect, scriptWithTool, test } from './sandbox-support.ts';

const isLong = process.env['CUELINE_E2E'] === 'long';
/** `pnpm test:long` runs the same tests with every type. */
const tag = isLong ? ['@long'] : [];
test.describe.configure({ timeout: isLong ? 900_000 : 180_000 });
// garbage of earlier tests would count as a pause
test.use({ fresh: true });

/** A sample; `pnpm test:long` tests every type. */
const types = (
  isLong ? Object.keys(most) : ['tool-input-delta', 'agent-end', 'task-update']
) as RunEvent['type'][];

/**
 * The longest time that the page may be blocked, in units of work. A unit takes about 3 ms on an idle current machine,
 * so that this is about 100 ms there.
 */
const LONGEST = 33;
/** Other work on the machine only makes a pause longer, so the test uses the best of a few tries. */
const TRIES = 5;

type Watched = { unit: number; pause: number; stop: () => void };

/** Returns the longest time for which the page is blocked during `act`, in units of that page's own work. */
async function longestPause(page: Page, happen: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    const work = (): number => {
      const begin = performance.now();
      const list = Array.from({ length: 10_000 }, (_, i) => ({ name: `n${i}`, value: [i, i + 1] }));
      JSON.parse(JSON.stringify(list));
      return performance.now() - begin;
    };
    const units = Array.from({ length: 15 }, work).toSorted((a, b) => a - b);
    const watched = window as unknown as Watched;
    watched.unit = units[7] ?? 0;
    watched.pause = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      watched.pause = Math.max(watched.pause, now - last);
      last = now;
    }, 5);
    watched.stop = () => clearInterval(timer);
  });
  await happen();
  return page.evaluate(() => {
    const { pause, unit, stop } = window as unknown as Watched;
    stop();
    return pause / unit;
  });
}

/** Repeats until the page was blocked for less than the limit. */
async function expectAnswers(page: Page, what: string, happen: () => Promise<void>): Promise<void> {
  const pauses: number[] = [];
  while (pauses.length < TRIES && !(pauses.at(-1)! < LONGEST)) {
    pauses.push(await longestPause(page, happen));
  }
  test.info().annotations.push({
    type: what,
    description: `${pauses.map((pause) => pause.toFixed(1)).join(', ')} units`,
  });
  expect(Math.min(...pauses), `the longest pause at ${what}, in units of work`).toBeLessThan(LONGEST);
}

/** A log with as many events of one type as a run may have and a link can hold. */
function logOf(type: RunEvent['type'], count = most[type]): object[] {
  const log = eventsOf(type, count);
  return JSON.stringify(log).length < 950_000 ? log : logOf(type, Math.floor(count * 0.8));
}

/** A script whose worker claims events of this type, whatever the script does. */
function forging(type: RunEvent['type'], count: number): string {
  return `const eventsOf: any = ${eventsOf.toString()};
const events = eventsOf('${type}', ${count});
let sent = false;
(Object.prototype as any).toJSON = function () {
  if (this.type !== 'events') return this;
  const all = sent ? [] : events;
  sent = true;
  return { type: 'events', events: all };
};
export default (prompt: any) => { prompt.$\`Hi\`; };
`;
}

test(
  'a link with events of a type at their limit opens, and the page keeps responding',
  { tag },
  async ({ page, playground }) => {
    await playground.open(scriptWithTool('return 1;'));
    await playground.editorReady();
    const open = async (hash: string): Promise<void> => {
      await page.evaluate((link) => {
        location.hash = link;
      }, hash);
      await expect(page.getByTestId('shared-run')).toBeVisible();
      // until the page has drawn all rows that it draws by itself
      await page.waitForTimeout(300);
      // by selector: a search by role visits the whole page, and takes longer than the measured action
      await page.evaluate(() => {
        document.querySelector<HTMLElement>('[aria-label="Close the shared run"]')?.click();
      });
      await expect(page.getByTestId('shared-run')).toHaveCount(0);
    };
    // the code that checks a log loads with the first link
    await open(craftLink({ script: '// first', log: eventsOf('custom', 1) }));
    for (const type of types) {
      const hash = craftLink({ script: `// ${type}`, log: logOf(type) });
      await expectAnswers(page, type, () => open(hash));
    }
  },
);

test(
  'a script that forges events of a type at their limit does not stop the page from responding',
  { tag },
  async ({ page, playground }) => {
    await playground.open(scriptWithTool('return 1;'));
    await playground.editorReady();
    for (const type of types) {
      await playground.replace(forging(type, most[type]));
      await playground.editorReady();
      await expectAnswers(page, type, async () => {
        await playground.run();
        await expect(page.getByTestId('status')).toHaveAttribute('data-status', 'done');
        await page.waitForTimeout(300);
      });
    }
  },
);

test(
  '20,000 real definitions run to their end, and the page keeps responding',
  { tag: '@long' },
  async ({ page, playground }) => {
    await playground.open(
      "export default (prompt: any) => { for (let i = 0; i < 20_000; i++) prompt.def('V' + i, 'x'); prompt.$`Hi`; };",
    );
    await playground.editorReady();
    await expectAnswers(page, 'definitions', async () => {
      await playground.run();
      await expect(page.getByTestId('status')).toHaveAttribute('data-status', 'done');
    });
  },
);

test('a link with more events of a type than its limit is refused in a sentence', async ({
  page,
  playground,
}) => {
  await playground.open(scriptWithTool('return 1;'));
  await playground.editorReady();
  await page.evaluate(
    (link) => {
      location.hash = link;
    },
    craftLink({ script: '// over', log: eventsOf('task-add', most['task-add'] + 1) }),
  );
  await expect(
    page.getByText('The run in this link cannot be shown: it has more than 1,000 tasks.'),
  ).toBeVisible();
});
