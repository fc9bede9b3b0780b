import { expect, test, withServer } from './playground-page.ts';

const plan = `import { definePrompt } from '@cueline/core';
import { z } from 'zod';

const days = z.number().int().min(1).max(14).default(3);
const city = z.string().refine((name) => name !== 'Atlantis', 'No such city');

export default definePrompt('plan', (prompt, input) => {
  prompt.defSystem('role', 'You plan trips.');
  prompt.$\`Plan \${input.days} days in \${input.city}.\`;
}, { input: z.object({ city, days }) });
`;

test('a form runs a prompt with typed input, and shows the errors of its schema at the field', async ({
  playground,
}) => {
  const { page } = playground;
  await playground.open();
  await playground.write(plan);
  const form = page.getByRole('region', { name: 'Input', exact: true });
  const city = form.getByRole('textbox', { name: 'city' });
  await expect(form.getByRole('textbox', { name: 'days' })).toHaveAttribute('placeholder', '3');

  await test.step('an incomplete form starts no run', async () => {
    await playground.run();
    await expect(city).toBeFocused();
    await expect(city).toHaveAccessibleDescription('Fill this in.');
    await expect(playground.status).toHaveAttribute('data-status', 'idle');
  });

  await test.step('the run reports errors that only the schema finds', async () => {
    await city.fill('Atlantis');
    await playground.run();
    expect(await playground.ended()).toBe('error');
    await expect(city).toHaveAccessibleDescription('No such city.');
  });

  await test.step('the run gets numbers as numbers, and begins with its input', async () => {
    await city.fill('Faro');
    await form.getByRole('textbox', { name: 'days' }).fill('5');
    await playground.run();
    expect(await playground.ended()).toBe('done');
    await expect(page.getByLabel('User message')).toContainText('Plan 5 days in Faro.');
    await expect(page.getByLabel('Input of the run')).toContainText('city Faro, days 5');
    await expect(city).toBeHidden();
  });

  await test.step('the input is there after a reload', async () => {
    await page.reload();
    // folded, because the run is there again
    await form.getByRole('button').first().click();
    await expect(city).toHaveValue('Faro');
  });

  await test.step('an input without a schema stays in view as long as it is empty', async () => {
    await playground.write(`import { definePrompt } from '@cueline/core';
export default definePrompt('greet', (prompt, input: { name: string }) => {
  prompt.$\`Greet \${input.name}.\`;
});
`);
    const json = form.getByRole('textbox', { name: 'Input as JSON' });
    await expect(json).toBeVisible();
    await playground.run();
    expect(await playground.ended()).toBe('error');
    await expect(json).toHaveAccessibleDescription(/takes an input.+definePrompt\('greet'/);
    await json.fill('{"name": "Ada"}');
    await playground.run();
    expect(await playground.ended()).toBe('done');
    await expect(json).toBeHidden();
  });
});

test('a pasted picture reaches an OpenAI-compatible server, and a text file is text', async ({
  playground,
}) => {
  const { page } = playground;
  await playground.open();
  await playground.write('export default (prompt) => { prompt.$`Hello.`; };');
  await withServer(page, async (server) => {
    await playground.run();
    expect(await playground.ended()).toBe('done');
    const picture = await page.evaluate(() => {
      const canvas = document.createElement('canvas');
      canvas.getContext('2d')?.fillRect(0, 0, 20, 20);
      return canvas.toDataURL('image/png').split(',')[1] ?? '';
    });
    await page.getByLabel('Reply', { exact: true }).evaluate((target, base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([bytes], 'garden.png', { type: 'image/png' }));
      target.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, picture);
    await page.getByRole('region', { name: 'Run', exact: true }).evaluate((target) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['Water the roses.'], 'notes.md', { type: '' }));
      dataTransfer.items.add(new File(['Later.'], 'draft.md', { type: '' }));
      target.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    });
    const files = page.getByRole('list', { name: 'Files of the next message' });
    await expect(files.getByRole('listitem')).toHaveText([/garden\.png/, /notes\.md/, /draft\.md/]);
    await files.getByRole('button', { name: 'Remove draft.md' }).press('Enter');
    await expect(files.getByRole('button', { name: 'Remove notes.md' })).toBeFocused();
    await page.getByLabel('Reply', { exact: true }).fill('What is this?');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByLabel('User message').last().getByRole('img')).toBeVisible();
    expect(await playground.ended()).toBe('done');

    const body = server.requests.at(-1)?.body as
      | { messages: { role: string; content: unknown }[] }
      | undefined;
    expect(body?.messages.findLast(({ role }) => role === 'user')?.content).toEqual([
      { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
      { type: 'text', text: 'File notes.md:\n\nWater the roses.' },
      { type: 'text', text: 'What is this?' },
    ]);
  });
});

test(
  'the preview follows the typed input, without a model call',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    await withServer(page, async (server) => {
      const preview = page.getByRole('region', { name: 'Preview of the request' });
      await page.getByRole('button', { name: 'Preview the request' }).click();
      await expect(preview.getByRole('region', { name: 'Messages' })).toContainText('What should I wear');
      await expect(preview.getByRole('row', { name: 'tool getWeather' })).toBeVisible();

      await playground.write(
        "export default (prompt) => { prompt.defSystem('role', 'You count.'); prompt.$`Go.`; };\n// end",
      );
      await expect(preview.getByRole('region', { name: 'System prompt' })).toContainText('You count.');
      await playground.write("export default (prompt) => { prompt.defSystem('role', 'You\n// end");
      await expect(preview).toContainText('of your last valid script');
      await expect(preview.getByRole('status')).toContainText('Line 1: Unterminated string');
      await expect(preview.getByRole('region', { name: 'System prompt' })).toContainText('You count.');
      expect(server.requests).toEqual([]);

      await playground.write('export default (prompt) => { prompt.$`Hello.`; };\n// end');
      await playground.run();
      expect(await playground.ended()).toBe('done');
      await expect(preview).toHaveCount(0);
      expect(server.calls).toHaveLength(1);
    });
  },
);

test(
  'the preview of a script that never returns shows an error',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    await page.getByRole('button', { name: 'Preview the request' }).click();
    await playground.write('export default (prompt) => { prompt.$`Hi`; for (;;) {} };\n// end');
    const preview = page.getByRole('region', { name: 'Preview of the request' });
    await expect(preview.getByRole('status')).toContainText('blocked its worker');
  },
);
