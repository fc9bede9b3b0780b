import { expect, type Locator, type Page } from '@playwright/test';

export const call = (name: string, input: unknown = {}) => ({ toolCall: { name, input } });

/** A script with these definitions and a tool `wait`, whose call is in progress until the run is stopped. */
export const script = (define: string): string => `import { definePrompt } from '@cueline/core';
import { z } from 'zod';

export default definePrompt('test', async (prompt) => {
  prompt.defTool('wait', 'Waits', z.object({}), () => new Promise(() => {}));
  ${define}
  prompt.$\`Go.\`;
});
`;

/** Opens a task's menu with the keyboard, and chooses an entry. */
export async function change(page: Page, row: Locator, entry: string): Promise<void> {
  await row.getByRole('button', { name: /^Change task/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: entry }).focus();
  await page.keyboard.press('Enter');
  // when it closes, it moves the focus
  await expect(page.getByRole('menu')).toHaveCount(0);
}
