import { expect, test } from './playground-page.ts';

test('a missing key ends the run with an error that leads to the model dialog', async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await page.getByTestId('model').click();
  await page.getByRole('radio', { name: /^OpenAI Straight/ }).click();
  await page.getByRole('button', { name: 'Use this model' }).click();
  const key = page.getByLabel('API key');
  await expect(key).toBeFocused();
  await expect(key).toHaveAccessibleDescription(/Paste an OpenAI API key/);
  await key.fill('sk-x');
  await page.getByRole('button', { name: 'Use this model' }).click();
  await page.reload();
  await playground.run();
  expect(await playground.ended()).toBe('error');
  const error = page.getByTestId('run-error');
  await expect(error).toContainText('Paste an OpenAI API key');
  await error.getByRole('button', { name: 'Model settings' }).click();
  await expect(page.getByRole('dialog', { name: 'Model' })).toBeVisible();
});

test(
  'the model dialog begins at the current choice and returns the focus',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    for (const opener of [
      page.getByTestId('model'),
      page.getByRole('button', { name: 'Use a real model' }),
    ]) {
      await opener.focus();
      await page.keyboard.press('Enter');
      await expect(page.getByRole('radio', { name: /^Demo model/ })).toBeFocused();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await expect(opener).toBeFocused();
    }
  },
);

test('an unusable base URL is reported at its field', { tag: '@long' }, async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await page.getByTestId('model').click();
  await page.getByLabel('OpenAI-compatible server').click();
  await page.getByLabel('Base URL', { exact: true }).fill('localhost:11434/v1');
  await page.getByLabel('Model id').fill('llama3.2');
  await page.getByRole('button', { name: 'Use this model' }).click();
  await expect(page.getByText('must begin with http:// or https://')).toBeVisible();
  await expect(page.getByLabel('Base URL', { exact: true })).toHaveAttribute('aria-invalid', 'true');
});
