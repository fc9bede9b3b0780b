import { readFile } from 'node:fs/promises';
import { expect, test } from './playground-page.ts';

const script = (name: string): string => `import { definePrompt } from '@cueline/core';

export default definePrompt('${name}', (prompt) => prompt.$\`Say hello to ${name}.\`);
`;

test(
  'a full storage is reported once, loses no stored data, and stores pending data once there is space',
  { tag: '@long' },
  async ({ playground }, info) => {
    const { page } = playground;
    await playground.open();
    await playground.write(script('first'));
    await playground.run();
    expect(await playground.ended()).toBe('done');
    await expect(page.getByTestId('script-origin')).toHaveText('Kept in this browser');

    const browser = await page.context().newCDPSession(page);
    const { origin } = new URL(page.url());
    await browser.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 });
    // Chromium checks the remaining space again after 30 seconds
    await page.waitForTimeout(31_000);
    await playground.write(script('second'));
    await expect(page.getByText(/has no space left for this page/)).toHaveCount(1);
    await expect(page.getByTestId('script-origin')).toHaveText('Only in this tab');
    await playground.run();
    expect(await playground.ended()).toBe('done');
    await expect(page.getByText(/has no space left for this page/)).toHaveCount(1);

    // the data that was stored before is there, and can be exported
    await page.getByRole('button', { name: 'History' }).click();
    const stored = page.getByTestId('stored-run');
    await expect(stored).toHaveCount(1);
    await expect(stored).toContainText('first');
    await page.getByRole('button', { name: /^More about/ }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export', exact: true }).click(),
    ]);
    const path = info.outputPath('run.json');
    await download.saveAs(path);
    expect(await readFile(path, 'utf8')).toContain('Say hello to first.');
    await page.keyboard.press('Escape');

    // the script survives a reload in the tab's own storage
    await page.reload();
    await expect(playground.editor.locator('.view-lines')).toContainText("'second'");
    expect(await playground.script()).toBe(script('second'));
    await playground.run();
    expect(await playground.ended()).toBe('done');

    // with space again, the pending run is stored, too
    await browser.send('Storage.overrideQuotaForOrigin', { origin });
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('button', { name: /^More about/ }).click();
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    await expect(stored).toHaveCount(1);
    await expect(stored).toContainText('second');
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('script-origin')).toHaveText('Kept in this browser');
    await page.reload();
    expect(await playground.script()).toBe(script('second'));
    expect(await playground.ended()).toBe('done');
  },
);
