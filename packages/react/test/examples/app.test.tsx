import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { mount } from '../support/mount.tsx';
import { App } from './app.tsx';

test('the example of the README plans a day, shows its tool call, and continues on request', async () => {
  mount(<App />);
  await page.getByRole('button', { name: 'Plan my day' }).click();
  await expect.element(page.getByText('getWeather: output-available')).toBeVisible();
  await page.getByRole('button', { name: 'Cheaper' }).click();
  await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Cheaper' })).toBeVisible();
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
});
