import type { Page } from '@playwright/test';

export const script = (city: string) => `import { definePrompt } from '@cueline/core';
import { z } from 'zod';

export default definePrompt('weather', async (prompt) => {
  prompt.defTool('getWeather', 'Weather for a city', z.object({ city: z.string() }), async ({ city }) => {
    return { city, sky: 'drizzle' };
  });
  prompt.$\`What is the weather in ${city}?\`;
});
`;

/** Sets a model of a server on this machine, in the model dialog. */
export async function useServer(page: Page, baseURL: string): Promise<void> {
  await page.getByTestId('model').click();
  await page.getByLabel('OpenAI-compatible server').click();
  await page.getByLabel('Base URL', { exact: true }).fill(baseURL);
  await page.getByLabel('Model id').fill('test-model');
  await page.getByRole('button', { name: 'Use this model' }).click();
}
