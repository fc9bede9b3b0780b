import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { craftLink } from './craft-link.ts';
import { expect, test, type Playground } from './playground-page.ts';

/**
 * axe's findings in the current view, one per line. In the dark theme, it checks only colors, because everything else
 * is the same. It does not check colors while rows move: axe would take a row that is just below for the background.
 * It reads the editor, which has most of the page's elements, only in the views that are about it.
 */
async function problems(
  page: Page,
  view: string,
  { isMoving = false, withEditor = false }: { isMoving?: boolean; withEditor?: boolean } = {},
): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of isMoving ? (['light'] as const) : (['light', 'dark'] as const)) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    // colors have other contrasts during transitions; an animation whose element is removed is aborted
    await page.evaluate(() => {
      const running = document.getAnimations().filter(({ playState }) => playState === 'running');
      return Promise.allSettled(running.map((animation) => animation.finished));
    });
    // without legacy mode axe opens another page for each view
    const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
    if (!withEditor) axe.exclude('.monaco-editor');
    if (colorScheme === 'dark') axe.withRules(['color-contrast']);
    if (isMoving) axe.disableRules(['color-contrast']);
    const { violations } = await axe.analyze();
    for (const { id, nodes } of violations) {
      const first = nodes[0];
      found.push(
        `${view}, ${colorScheme}: ${id} (${nodes.length}) ${first?.target.join(' ')} ${first?.html.slice(0, 120)}`,
      );
    }
  }
  return found;
}

test('axe finds nothing around a run, in both themes', async ({ playground }) => {
  const { page } = playground;
  const found: string[] = [];
  await playground.open();
  await playground.run();
  expect(await playground.ended()).toBe('done');
  await playground.tool('getWeather').getByRole('button').first().click();
  found.push(...(await problems(page, 'after a run', { withEditor: true })));
  expect(found).toEqual([]);
});

type Check = (view: string, reading?: { withEditor: boolean }) => Promise<void>;

/** Waits for the end of a run that was in progress while axe read the page. */
async function done({ status }: Playground): Promise<void> {
  await expect(status).toHaveAttribute('data-status', 'done', { timeout: 120_000 });
}

/**
 * Opens every view of the run that has just ended, and everything that opens from it. On a phone, the views are behind
 * tabs.
 */
async function checkRun({ page, tool }: Playground, check: Check, phone: boolean): Promise<void> {
  const show = async (tab: string): Promise<void> => {
    if (phone) await page.getByRole('tab', { name: tab, exact: true }).click();
  };
  await show('Run');
  await tool('finishTask').first().getByRole('button').first().click();
  await check('a call');
  await page.getByRole('button', { name: 'Actions of step 2' }).click();
  await check('the menu of a step');
  await page.keyboard.press('Escape');
  await show('Trace');
  const inspector = page.getByRole('region', { name: 'Inspector' });
  await expect(inspector.getByTestId('inspected')).toContainText('finishTask');
  await check('inspector, call');
  await inspector.getByRole('button', { name: 'Back to the step' }).click();
  for (const tab of ['Response', 'Changes', 'Request']) {
    await inspector.getByRole('tab', { name: tab }).click();
    await check(`inspector, ${tab}`);
  }
  await inspector.getByRole('button', { name: 'system part role' }).first().click();
  await show('Trace');
  await check('inspector, definition');
  await page.getByRole('slider', { name: 'Moment' }).press('Home');
  await show('Run');
  await check('an earlier moment');
  await page.getByRole('button', { name: 'Back to now' }).click();
  await page.getByTestId('share').click();
  await page.getByRole('radio', { name: 'Script and run' }).click();
  await check('share, run');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'History' }).click();
  await check('history');
  await page
    .getByRole('button', { name: /^More about/ })
    .first()
    .click();
  await check('the menu of a stored run');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
}

test('axe finds nothing in any view of a script and its run', { tag: '@long' }, async ({ playground }) => {
  test.setTimeout(600_000);
  const { page } = playground;
  const found: string[] = [];
  const check: Check = async (view, reading) => void found.push(...(await problems(page, view, reading)));

  await playground.open();
  await check('before a run', { withEditor: true });
  await page.getByRole('button', { name: 'Examples' }).click();
  await check('examples');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Commands' }).click();
  await expect(page.getByRole('option').first()).toBeVisible();
  await check('commands');
  await page.keyboard.press('Escape');
  await page.getByTestId('script-picker').click();
  await check('scripts');
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await check('rename');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Theme/ }).click();
  await check('themes');
  await page.keyboard.press('Escape');
  await page.getByTestId('model').click();
  await page.getByLabel('OpenAI-compatible server').click();
  await check('model dialog');
  await page.keyboard.press('Escape');

  await playground.pick('Task list');
  await playground.run();
  await expect(playground.tool('countBoxes').first()).toBeVisible();
  found.push(...(await problems(page, 'during a run', { isMoving: true })));
  await done(playground);
  await checkRun(playground, check, false);
  await playground.write("definePrompt('changed')");
  await page.getByTestId('script-changed').getByRole('button', { name: 'Show changes' }).click();
  await check('changes of the script');
  await page.keyboard.press('Escape');
  await playground.pick('Weather');

  await playground.run();
  await done(playground);
  await playground.tool('getWeather').getByRole('button').first().click();
  await page.getByRole('button', { name: 'Edit result…' }).click();
  await check('edit a result');
  await page.getByRole('button', { name: 'Continue with this' }).click();
  await expect(page.getByTestId('forks')).toContainText('Run 2');
  await done(playground);
  await check('forks');

  await playground.pick('Ask before sending');
  await playground.run();
  await expect(playground.approval).toBeVisible();
  await check('a question');
  await playground.approval.getByRole('button', { name: 'Edit' }).click();
  await check('the arguments of a call');
  await playground.approval.getByRole('radio', { name: 'JSON' }).click();
  await check('the arguments of a call as JSON');
  await page.getByRole('button', { name: /^Stop/ }).click();
  await playground.pick('Researchers and a writer');
  await playground.run();
  await done(playground);
  await playground.agent('researcher').first().getByRole('button').first().click();
  await check('agents');
  expect(found).toEqual([]);
});

const faulty = `import { definePrompt } from '@cueline/core';
import { z } from 'zod';

export default definePrompt('plan', (prompt, input) => {
  const days: number = 'three';
  prompt.$\`Plan \${days} days in \${input.city}.\`;
}, { input: z.object({ city: z.string(), guests: z.array(z.object({ vegan: z.boolean() })) }) });
`;

test.describe('with types', () => {
  test.use({ typeScript: true });

  test(
    'axe finds nothing in forms and errors, prompts and evals',
    { tag: '@long' },
    async ({ playground }) => {
      test.setTimeout(600_000);
      const { page } = playground;
      const found: string[] = [];
      const check: Check = async (view, reading) => void found.push(...(await problems(page, view, reading)));

      await playground.open();
      await playground.write(faulty);
      await expect(page.getByTestId('problems')).toContainText('not assignable');
      const city = page.getByRole('textbox', { name: 'city' });
      await expect(city).toBeVisible();
      await playground.run();
      await expect(city).toBeFocused();
      await check('input and problems', { withEditor: true });
      await city.fill('Faro');
      await page.getByRole('button', { name: 'Preview', exact: true }).click();
      await expect(page.getByRole('region', { name: 'Preview of the request' })).toContainText('Faro');
      await check('preview');
      await page.getByRole('button', { name: 'Preview', exact: true }).click();
      await playground.write("throw new Error('No such city.');\n");
      await playground.run();
      expect(await playground.ended()).toBe('error');
      await check('a failed run');
      await playground.follow('#v1.s.abc');
      await expect(page.getByTestId('notice')).toBeVisible();
      await check('a refused link');

      const views = page.getByRole('navigation', { name: 'Views' });
      await views.getByRole('button', { name: 'Prompts' }).click();
      await expect(page.getByTestId('expansion')).toBeVisible();
      await check('prompts');
      await page.keyboard.press('ControlOrMeta+Enter');
      await done(playground);
      await check('the run of a prompt');
      await page.getByRole('tab', { name: 'Compare' }).click();
      await check('comparison of versions');
      await views.getByRole('button', { name: 'Evals' }).click();
      await expect(page.getByTestId('plan')).toBeVisible();
      await check('evals');
      await page.getByRole('combobox', { name: 'Parallel runs' }).selectOption('20');
      await page.getByTestId('run-button').click();
      await expect(page.getByTestId('eval-status')).toContainText('36 runs');
      await page.getByTestId('result-row').first().getByRole('button').first().click();
      await check('results of an eval');
      expect(found).toEqual([]);
    },
  );
});

test('axe finds nothing on a phone', { tag: '@long' }, async ({ playground }) => {
  test.setTimeout(600_000);
  const { page } = playground;
  const found: string[] = [];
  const check: Check = async (view, reading) =>
    void found.push(...(await problems(page, `phone, ${view}`, reading)));

  await page.setViewportSize({ width: 390, height: 844 });
  await playground.open();
  await check('script', { withEditor: true });
  await playground.pick('Task list');
  await playground.run();
  await done(playground);
  await checkRun(playground, check, true);
  await page.getByRole('tab', { name: 'Script', exact: true }).click();
  await playground.pick('Ask before sending');
  await playground.run();
  await expect(playground.approval).toBeVisible();
  await playground.approval.getByRole('button', { name: 'Edit' }).click();
  await check('the arguments of a call');
  await page.getByRole('button', { name: /^Stop/ }).click();
  await playground.pick('Researchers and a writer');
  await playground.run();
  await done(playground);
  const researcher = playground.agent('researcher').last();
  await researcher.getByRole('button').first().click();
  await check('agents');
  await researcher.getByRole('button', { name: 'Actions of step 2' }).click();
  await page.getByRole('menuitem', { name: 'Run again from step 2' }).click();
  await done(playground);
  await check('forks');
  await page.getByRole('button', { name: 'Preview' }).click();
  await check('preview');
  const views = page.getByRole('navigation', { name: 'Views' });
  for (const [view, tabs] of Object.entries({ Prompts: ['Prompt', 'Try'], Evals: ['Eval', 'Results'] })) {
    await views.getByRole('button', { name: view }).click();
    for (const tab of tabs) {
      await page.getByRole('tab', { name: tab, exact: true }).click();
      await check(tab);
    }
  }
  await page.getByTestId('run-button').click();
  await page.getByTestId('result-row').first().getByRole('button').first().click();
  await expect(page.getByTestId('eval-status')).toContainText('36 runs');
  await check('results of an eval');
  expect(found).toEqual([]);
});

test('a printed page has the whole transcript, and nothing else', async ({ playground }) => {
  const { page } = playground;
  const messages = Array.from({ length: 80 }, (_, index) => ({
    id: `m${index}`,
    role: 'user',
    parts: [{ type: 'text', text: `Message ${index + 1}.` }],
  }));
  const log = [
    { type: 'run-start', v: 2, runId: 'r', model: 'demo:m', messages, messageId: 'a' },
    { type: 'run-end', outcome: 'done', finishReason: 'stop' },
  ].map((body, seq) => ({ seq, t: seq, ...body }));
  await playground.open(craftLink({ script: '// theirs', log }));
  await expect(page.getByText('Message 1.', { exact: true })).toBeVisible();
  await expect(page.getByText('Message 80.', { exact: true })).toBeHidden();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  expect(await page.locator('body').innerText()).toMatch(/^Message 1\.\s+Message 2\.[^]+Message 80\.$/);
});

test(
  'no control of the top bar covers another on a tablet, and a phone on its side has one pane',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await page.setViewportSize({ width: 800, height: 1000 });
    await playground.open();
    await page.getByTestId('model').click({ trial: true });
    // lines grow with the text, which a browser may enlarge
    await page.getByTestId('model').evaluate((button) => button.style.setProperty('font-size', '26px'));
    await expect(page.getByTestId('model')).toHaveCSS('line-height', '40px');
    await page.setViewportSize({ width: 844, height: 390 });
    await expect(page.getByRole('tab', { name: 'Run' })).toBeVisible();
    await page.getByTestId('model').click({ trial: true });
  },
);

test('the menu of the editor covers the script', { tag: '@long' }, async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  const { width } = (await playground.editor.boundingBox())!;
  await playground.editor.click({ button: 'right', position: { x: width - 60, y: 30 } });
  const entry = page.getByRole('menuitem', { name: 'Command Palette' });
  await expect(entry).toBeVisible();
  const isWhole = await entry.evaluate((element) => {
    const { right, top, height } = element.getBoundingClientRect();
    const root = element.getRootNode() as Document | ShadowRoot;
    return element.contains(root.elementFromPoint(right - 4, top + height / 2));
  });
  expect(isWhole, 'the menu goes beyond the edge of the editor').toBe(true);
  // an entry that is not chosen shows the color of the menu
  await page.mouse.move(0, 0);
  const colors = await entry.evaluate((element) => {
    const all: string[] = [];
    for (let at: Element | null = element; at !== null && !at.matches('.context-view'); at = at.parentElement)
      all.push(getComputedStyle(at).backgroundColor);
    return all;
  });
  expect(colors).toContainEqual(expect.stringMatching(/^rgb\(/));
  await page.keyboard.press('Escape');
  await expect(entry).toHaveCount(0);
});
