import type { Page } from '@playwright/test';
import { expect, onPage, test } from './playground-page.ts';

/** The texts of the marked lines. */
async function marked(page: Page): Promise<string[]> {
  return page
    .locator('.monaco-editor')
    .first()
    .evaluate((editor) => {
      const tops = new Set(
        [...editor.querySelectorAll('.source-line')].map((mark) =>
          Math.round(mark.getBoundingClientRect().top),
        ),
      );
      return [...editor.querySelectorAll('.view-line')]
        .filter((line) => tops.has(Math.round(line.getBoundingClientRect().top)))
        .map((line) => (line.textContent ?? '').replaceAll('\u00A0', ' ').trim());
    });
}

const isInEditor = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.activeElement?.closest('.monaco-editor') !== null);

/** The script creates the names while it runs, so that only its run knows them; each is on its own line. */
const computed = `import { definePrompt } from '@cueline/core';
import { z } from 'zod';

${'\n'.repeat(40)}
export default definePrompt('weather', async (prompt) => {
  for (const name of ['CITY', 'UNIT'])
    prompt.def(name, 'Lisbon');
  const get = 'get';
  prompt.defTool(get + 'Weather',
    'Weather for a city',
    z.object({ city: z.string() }),
    ({ city }) => ({ city, sky: 'fog' }),
  );
  prompt.$\`What is the weather in Lisbon?\`;
});
`;

test('selecting a call marks the line that made it, and a line selects the definition or call that it made', async ({
  playground,
}) => {
  const { page } = playground;
  await playground.open();
  await playground.write(computed);
  await playground.run();
  expect(await playground.ended()).toBe('done');
  const card = playground.tool('getWeather').first();
  const costs = page.locator('.line-cost:visible');
  const line = (text: string) => playground.editor.locator('.view-line').filter({ hasText: text });

  // from the run to its line, which scrolls into view, while the focus stays where it is
  await playground.editor.locator('.view-line').first().click();
  await page.keyboard.press('ControlOrMeta+Home');
  await expect(line('defTool')).toHaveCount(0);
  await card.getByRole('button').first().click();
  await expect.poll(() => marked(page)).toEqual([expect.stringContaining("prompt.defTool(get + 'Weather'")]);
  expect(await isInEditor(page)).toBe(false);

  // the gutter shows what the line cost
  const ofTool = costs.filter({ hasText: '×' });
  await expect(ofTool).toHaveText(/^1× (<1|\d+) ms$|^1× \d+\.\d s$/);
  await expect(ofTool.locator('span')).toHaveAttribute(
    'title',
    /^getWeather: 1 call, .+ in all · \d+ tokens of the request \(estimated\)$/,
  );
  const ofVariables = costs.locator('span[title^=CITY]');
  await expect(ofVariables).toHaveAttribute('title', /^CITY: \d+ tokens .+\nUNIT: \d+ tokens /);

  // from a line to the definition that it made, and back to the call by the line's number in the gutter
  await line('prompt.def(name').click();
  await expect.poll(() => marked(page)).toEqual(["prompt.def(name, 'Lisbon');"]);
  await expect(card).not.toHaveAttribute('data-selected', 'true');
  await ofTool.locator('span').click();
  await expect(card).toHaveAttribute('data-selected', 'true');
  await expect.poll(() => marked(page)).toEqual([expect.stringContaining("prompt.defTool(get + 'Weather'")]);

  // with another script in the editor, the costs are gone, and the mark stays with its line
  await line('for (const name').click();
  await page.keyboard.press('Home');
  await page.keyboard.type('// changed\n');
  await expect(costs).toHaveCount(0);
  await card.getByRole('button').first().click();
  await expect.poll(() => marked(page)).toEqual([expect.stringContaining("prompt.defTool(get + 'Weather'")]);
});

test(
  'a run from a link gets its lines from the text of its script',
  { tag: '@long' },
  async ({ playground, browser }) => {
    const { page } = playground;
    await playground.open();
    await playground.pick('Weather');
    await playground.run();
    expect(await playground.ended()).toBe('done');
    await page.getByTestId('share').click();
    await page.getByText('Script and run').click();
    const link = await page.getByLabel('Link to this run').inputValue();

    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    try {
      const other = onPage(await context.newPage());
      await other.open(new URL(link).hash);
      await expect(other.page.getByTestId('shared-run')).toBeVisible();
      await other.tool('getWeather').getByRole('button').first().click();
      await expect.poll(() => marked(other.page)).toEqual(['prompt.defTool(', "'getWeather',"]);
      await expect(other.page.locator('.line-cost span[title^="getWeather: 1 call"]')).toBeVisible();
      await other.editor.locator('.view-line').filter({ hasText: "prompt.def('CITY'" }).click();
      await expect.poll(() => marked(other.page)).toEqual(["const city = prompt.def('CITY', 'Lisbon');"]);
    } finally {
      await context.close();
    }
  },
);
