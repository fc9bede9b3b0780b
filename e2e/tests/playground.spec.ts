import { expect, onPage, test, withServer } from './playground-page.ts';
import { script } from './weather-script.ts';

test('a user edits the script, runs it, and sees text and a tool call with its result', async ({
  playground,
}) => {
  const { page } = playground;
  await playground.open();
  await playground.write(script('Oslo'));
  await playground.run();
  await expect(page.getByTestId('stop-button')).toBeVisible();
  expect(await playground.ended()).toBe('done');
  await expect(page.getByTestId('run-button')).toBeVisible();

  const card = playground.tool('getWeather');
  await expect(card).toHaveAttribute('data-state', 'output-available');
  await expect(card).toContainText('Oslo');
  await expect(card).toContainText('drizzle');
  await expect(card).toContainText('Done');
  await expect(card).toContainText(/\d+ ms/);
  await card.getByRole('button').click();
  await expect(card.getByRole('group', { name: 'Output' })).toContainText('drizzle');
  await expect(page.getByLabel('Answer', { exact: true }).last()).toContainText('drizzle');
  // Every view of the built-in model's name says that it is simulated.
  await expect(page.getByTestId('model')).toContainText('simulated');
  await expect(page.getByRole('heading', { name: 'Step 1', exact: true })).toBeVisible();
});

test('a reply continues the conversation', async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.run();
  await playground.ended();
  // an unfolded card keeps its place, and its end is out of view
  await playground.tool('getWeather').getByRole('button').first().click();
  const newest = page.getByRole('button', { name: 'Newest' });
  await expect(newest).toBeVisible();
  const list = await page.locator('.scroll', { has: playground.tool('getWeather') }).boundingBox();
  expect((await newest.boundingBox())!.y).toBeGreaterThanOrEqual(list!.y + list!.height);
  await page.getByLabel('Reply', { exact: true }).fill('And tomorrow in Faro?');
  await page.getByLabel('Reply', { exact: true }).press('Enter');
  await expect(page.getByLabel('User message').nth(1)).toContainText('And tomorrow in Faro?');
  await expect(page.getByLabel('User message').nth(1)).toBeInViewport();
  await expect(playground.status).toHaveAttribute('data-status', 'running');
  expect(await playground.ended()).toBe('done');
  await expect(page.getByText(/^Turn 2 · Done in/)).toBeInViewport();
  await expect(newest).toHaveCount(0);
  await expect(page.getByLabel('User message')).toHaveCount(2);
  await expect(playground.tool('getWeather').first()).toContainText('sunny');
});

test(
  'Ctrl+Enter in the reply box sends the reply, and runs the script from anywhere else',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    await playground.run();
    await playground.ended();
    await page.getByLabel('Reply', { exact: true }).fill('And tomorrow in Faro?');
    await page.getByLabel('Reply', { exact: true }).press('ControlOrMeta+Enter');
    await expect(page.getByLabel('User message').nth(1)).toContainText('And tomorrow in Faro?');
    expect(await playground.ended()).toBe('done');
    await page.getByTestId('share').focus();
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect(page.getByLabel('User message')).toHaveCount(1);
    expect(await playground.ended()).toBe('done');
  },
);

test('Stop replaces Run during a run, and ends the run as stopped', async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  const before = await page.getByTestId('run-button').boundingBox();
  await playground.run();
  const stop = page.getByTestId('stop-button');
  expect(await stop.boundingBox()).toEqual(before);
  await stop.click();
  expect(await playground.ended()).toBe('stopped');
  await expect(page.getByText('You stopped this run.')).toBeVisible();
  await expect(page.getByLabel('Reply', { exact: true })).toHaveAttribute(
    'placeholder',
    'Run again to reply',
  );
});

test('a shared link opens the same script elsewhere and does not run by itself', async ({
  playground,
  browser,
}) => {
  const { page } = playground;
  await playground.open();
  await playground.write(script('Bergen'));
  await page.getByTestId('share').click();
  await expect(page.getByTestId('link-size')).toContainText(/\d+ B/);
  const link = await page.getByLabel('Link to this script').inputValue();
  expect(link).toMatch(/#v1\.s\./);

  const elsewhere = await browser.newContext();
  const other = onPage(await elsewhere.newPage());
  await other.open(new URL(link).hash);
  await expect(other.page.getByTestId('notice')).toContainText(
    'Opened from a link — read it before you run it.',
  );
  expect(await other.script()).toBe(script('Bergen'));
  await expect(other.status).toHaveAttribute('data-status', 'idle');
  await expect(other.page.getByText('Press Run and watch it work')).toBeVisible();
  // Once the user has edited the script, a reload shows the edited script, not the link.
  await other.write(script('Tromsø'));
  await other.page.reload();
  expect(await other.script()).toBe(script('Tromsø'));
  await elsewhere.close();
});

test('the script and the theme survive a reload, keys do not', async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.write(script('Bodø'));
  await page.getByRole('button', { name: /^Theme/ }).click();
  await page.getByRole('menuitemradio', { name: 'Light' }).click();
  await page.getByTestId('model').click();
  await page.getByRole('radio', { name: /^OpenAI Straight/ }).click();
  await page.getByLabel('API key').fill('sk-very-secret');
  await page.getByRole('button', { name: 'Use this model' }).click();
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  expect(await playground.script()).toBe(script('Bodø'));
  const stored = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
  );
  expect(stored).toContain('Bod');
  expect(stored).not.toContain('sk-very-secret');
  await expect(page.getByTestId('model')).toContainText('needs attention');
});

test('a runtime error is shown at its line, with a link to it', { tag: '@long' }, async ({ playground }) => {
  const { page, editor } = playground;
  await playground.open();
  await playground.write(script('Oslo').replace('  prompt.$', '  (undefined as any).boom();\n  prompt.$'));
  await playground.run();
  expect(await playground.ended()).toBe('error');
  await page.getByTestId('run-error').getByRole('button', { name: 'Go to line 8' }).click();
  await expect(editor.locator('.line-numbers.active-line-number')).toHaveText('8');
  await expect(page.getByTestId('problems')).toContainText('8:');
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('Enter');
  await page.getByTestId('run-error').getByRole('button', { name: 'Go to line 9' }).click();
  await expect(editor.locator('.line-numbers.active-line-number')).toHaveText('9');
  await playground.pick('Weather');
  await expect(page.getByTestId('script-changed')).toBeVisible();
  await expect(page.getByTestId('run-error').getByRole('button')).toHaveCount(0);
});

test('an example replaces an edited script, and can be undone', { tag: '@long' }, async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.write('// mine\n');
  await page.getByRole('button', { name: 'Examples' }).click();
  await page.getByRole('menuitem', { name: /Research notes/ }).click();
  await expect(page.getByText('Your own script is kept.')).toBeVisible();
  // over the editor: the status of a run stays in view
  const message = (await page.locator('[data-sonner-toast]').boundingBox())!;
  const pane = (await page.getByLabel('Run', { exact: true }).boundingBox())!;
  expect(message.x + message.width).toBeLessThanOrEqual(pane.x);
  await page.getByRole('button', { name: 'Back to your script' }).click();
  expect(await playground.script()).toBe('// mine\n');
});

test('a failing tool shows its error, and the run continues', { tag: '@long' }, async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await page.getByRole('button', { name: 'Examples' }).click();
  await page.getByRole('menuitem', { name: /A tool that fails/ }).click();
  await playground.run();
  expect(await playground.ended()).toBe('done');
  const first = playground.tool('countStock').first();
  await expect(first).toHaveAttribute('data-state', 'output-error');
  await expect(first).toContainText('Failed');
  await expect(first).toContainText('The till has locked the list.');
  await expect(page.getByText('1 warning')).toBeVisible();
});

test('on a phone there are two tabs, and controls are large enough for touch', async ({ playground }) => {
  const { page } = playground;
  await page.setViewportSize({ width: 390, height: 844 });
  await playground.open();
  await expect(page.getByRole('tab', { name: 'Script' })).toHaveAttribute('aria-selected', 'true');
  await playground.run();
  await expect(page.getByRole('tab', { name: 'Run' })).toHaveAttribute('aria-selected', 'true');
  expect(await playground.ended()).toBe('done');
  await expect(playground.tool('getWeather')).toBeVisible();
  const small: string[] = [];
  for (const name of ['Examples', 'Share']) {
    const box = await page.getByRole('button', { name }).boundingBox();
    expect(box?.width).toBeGreaterThan(43.5);
  }
  for (const control of await page.getByRole('button').or(page.getByRole('tab')).all()) {
    const box = await control.boundingBox();
    if (box !== null && box.height < 43.5) small.push((await control.textContent()) ?? '');
  }
  expect(small).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test('a model’s text is only shown: no HTML, no remote pictures, and links open only after a confirmation', async ({
  playground,
}) => {
  const { page } = playground;
  await playground.open();
  await withServer(page, async (server) => {
    server.plan([
      {
        text:
          'See [the **docs**](https://evil.example/?q=secret) ![pixel](https://evil.example/pixel.png)\n\n' +
          '<img src="https://evil.example/raw.png"><script>document.title = "owned"</script>\n\n' +
          '[run](javascript:alert(1))\n\nمرحبا بالعالم\n\n' +
          `${'| Conclusion '.repeat(15)}|\n${'| - '.repeat(15)}|`,
      },
    ]);
    await playground.run();
    expect(await playground.ended()).toBe('done');
    const answer = page.getByLabel('Answer', { exact: true });
    await expect(answer).toContainText('[image not loaded: pixel]');
    await expect(answer.locator('img, script, a')).toHaveCount(0);
    await expect(answer.getByRole('button', { name: 'run' })).toHaveCount(0);
    await expect(answer.getByText('مرحبا')).toHaveCSS('direction', 'rtl');
    const inspector = page.getByRole('region', { name: 'Inspector' });
    await inspector.getByRole('tab', { name: 'Response' }).click();
    await expect(inspector.getByText('مرحبا')).toHaveCSS('unicode-bidi', 'plaintext');
    // a wide table keeps its words whole
    expect((await answer.getByRole('columnheader').first().boundingBox())!.height).toBeLessThan(40);
    expect(await page.title()).toBe('Cueline Playground');

    await answer.getByRole('button', { name: 'the docs' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Open this link?' });
    await expect(dialog).toContainText('https://evil.example/?q=secret');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(answer.getByRole('button', { name: 'the docs' })).toBeFocused();
    expect(page.context().pages()).toHaveLength(1);
  });
});

test(
  'the editor keeps its undo history and its cursor while another view is open',
  { tag: '@long' },
  async ({ playground }) => {
    const { page, editor } = playground;
    await playground.open();
    await editor.locator('.view-line').first().click();
    await page.keyboard.press('End');
    await page.keyboard.type(' // mine');
    await expect(editor.locator('.view-lines')).toContainText('// mine');
    const views = page.getByRole('navigation', { name: 'Views' });
    await views.getByRole('button', { name: 'Prompts' }).click();
    await expect(editor).toHaveCount(0);
    await views.getByRole('button', { name: 'Script' }).click();
    await expect(editor.locator('.view-lines')).toContainText('// mine');
    await editor.locator('.view-line').nth(3).click();
    await page.keyboard.press('ControlOrMeta+z');
    await expect(editor.locator('.view-lines')).not.toContainText('// mine');
  },
);

test(
  'the timeline and the inspector of a run that fails at once open together',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    await playground.write('export default () => {\n  throw new Error("at once");\n};');
    const alone = page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const seen = new Set<string>();
          const look = (): void => {
            const open = ['timeline', 'inspector'].filter((id) => document.getElementById(id) !== null);
            seen.add(open.join(' and '));
            if (open.length === 2) resolve([...seen]);
            else requestAnimationFrame(look);
          };
          look();
        }),
    );
    await playground.run();
    expect(await alone).toEqual(['', 'timeline and inspector']);
  },
);
