import { expect, test } from './playground-page.ts';
import { script } from './weather-script.ts';

test.use({ typeScript: true });

test('a type error is shown at its line, and the script can still run', async ({ playground }) => {
  const { page, editor } = playground;
  await playground.open();
  await playground.write(script('Oslo').replace("'Weather for a city'", '42'));
  const problems = page.getByTestId('problems');
  await expect(problems).toContainText("Argument of type 'number' is not assignable");
  await expect(problems).toContainText('5:');
  await expect(editor.locator('.squiggly-error')).not.toHaveCount(0);
  await problems.getByRole('button').first().click();
  await expect(editor.locator('.line-numbers.active-line-number')).toHaveText('5');
  await playground.run();
  expect(await playground.ended()).toBeTruthy();
});

test('the editor completes “prompt.” and lists what the script defines', async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await expect(page.getByText('No problems')).toBeVisible();
  await playground.write(script('Oslo').replace('  prompt.$', '  prompt.defSys\n  prompt.$'));
  for (let line = 0; line < 3; line++) await page.keyboard.press('ArrowUp');
  await page.keyboard.press('End');
  await page.keyboard.press('Control+Space');
  await expect(page.locator('.suggest-widget')).toContainText('defSystem');
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+Shift+O');
  await expect(page.locator('.quick-input-widget')).toContainText('definePrompt');
});

test(
  'the definition of a name of the library is shown below its line, and cannot be edited',
  { tag: '@long' },
  async ({ playground }) => {
    const { page, editor } = playground;
    const peek = page.locator('.peekview-widget');
    await playground.open();
    await expect(page.getByText('No problems')).toBeVisible();
    for (const visit of ['first', 'second']) {
      await editor.locator('.view-line').first().click();
      // to definePrompt in the import; a click on a word would scroll the page's boxes, and then meet another one
      await page.keyboard.press('ControlOrMeta+Home');
      for (let column = 0; column < 12; column++) await page.keyboard.press('ArrowRight');
      await page.keyboard.press('F12');
      const definition = peek.locator('.view-line', { hasText: 'declare function definePrompt' }).first();
      await expect(definition).toBeVisible();
      await expect(peek, visit).not.toContainText('changed');
      await definition.click();
      await page.keyboard.type('changed');
      await page.keyboard.press('Escape');
      await expect(peek).toHaveCount(0);
    }
  },
);

test('without the types, the editor checks syntax', { tag: '@long' }, async ({ playground }) => {
  const { page } = playground;
  await page.route('**/editor-types-*.json', (route) => route.abort());
  await playground.open();
  // only the types could tell that the import is wrong
  await playground.write("import { nothing } from '@cueline/core';\nexport default () => {\n");
  const problems = page.getByTestId('problems').getByRole('button');
  await expect(problems).toHaveText([/'}' expected/]);
});

test.describe('while TypeScript loads', () => {
  test.use({ typeScript: false });

  test('the problem of a run goes when the script changes', { tag: '@long' }, async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    await playground.write(script('Oslo').replace('  prompt.$', '  prompt.defSys();\n  prompt.$'));
    await playground.run();
    expect(await playground.ended()).toBe('error');
    await expect(page.getByTestId('problems')).toContainText('defSys is not a function');
    await playground.write(script('Oslo'));
    await expect(page.getByText('Checking types')).toBeVisible();
    await expect(page.getByTestId('problems')).toHaveCount(0);
  });
});

test(
  'a script that changes while TypeScript starts is checked as it is then',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    let go = (): void => {};
    const started = new Promise<void>((resolve) => (go = resolve));
    await page.route('**/editor-types-*.json', async (route) => {
      await started;
      await route.continue();
    });
    await playground.open();
    // TypeScript has the script that was open before, which has no errors
    await playground.write("import { nothing } from '@cueline/core';\nexport default () => {};\n");
    await page.evaluate(() => {
      new MutationObserver(() => {
        if (document.body.textContent?.includes('No problems')) document.body.dataset['wrong'] = 'yes';
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    go();
    await expect(page.getByTestId('problems')).toContainText("has no exported member 'nothing'");
    expect(await page.evaluate(() => document.body.dataset['wrong'])).toBeUndefined();
  },
);

test(
  'a script uses the ready-made memory plugin, and the editor knows its methods',
  { tag: '@long' },
  async ({ playground }) => {
    await playground.open();
    await playground.write(`import { definePrompt } from '@cueline/core';
import { memory } from '@cueline/core/plugins';

export default definePrompt('memory', async (prompt) => {
  await prompt.remember('coffee', 'Grace drinks her coffee black.');
  prompt.$\`What does Grace drink?\`;
}, { plugins: [memory()] });
`);
    await expect(playground.page.getByText('No problems')).toBeVisible();
    await playground.run();
    expect(await playground.ended()).toBe('done');
    await expect(playground.tool('recall').first()).toBeVisible();
  },
);

test(
  'the problems of one script are never shown as those of another',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    await playground.write("export default definePrompt('faulty', () => {});\n");
    await expect(page.getByTestId('problems')).toContainText("Cannot find name 'definePrompt'");
    await page.evaluate(() => {
      new MutationObserver(() => {
        const name = document.querySelector('[data-testid=script-picker]')?.textContent;
        if (name === 'faulty' || document.querySelector('[data-testid=problems]') === null) return;
        document.body.dataset['stale'] = name ?? '';
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    await page.getByTestId('script-picker').click();
    await page.getByRole('menuitem', { name: 'New script' }).click();
    await expect(page.getByText('No problems')).toBeVisible();
    expect(await page.evaluate(() => document.body.dataset['stale'])).toBeUndefined();

    await page.getByTestId('script-picker').click();
    await page.getByRole('menuitemradio', { name: 'faulty' }).click();
    await expect(page.getByTestId('problems')).toContainText("Cannot find name 'definePrompt'");
  },
);
