import { decodeLink, encodeLink } from '@cueline/core/link';
import type { Locator } from '@playwright/test';
import { expect, test, withServer, type Playground } from './playground-page.ts';

type View = 'Script' | 'Prompts' | 'Evals';

async function openView({ page, open }: Playground, view: View, hash = ''): Promise<void> {
  await open(hash);
  await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: view }).click();
}

async function sharedLink({ page }: Playground): Promise<string> {
  await page.getByTestId('share').click();
  const link = await page.getByRole('textbox', { name: /^Link to/ }).inputValue();
  await page.keyboard.press('Escape');
  return new URL(link).hash;
}

/** The texts of these elements that are not shown as a whole. */
async function cutTexts(elements: Locator): Promise<string[]> {
  return elements.evaluateAll((all) =>
    all
      .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
      .map((one) => (one instanceof HTMLInputElement ? one.value : one.textContent)),
  );
}

test('a version is edited with live validation, previewed, run, compared, and turned into a case', async ({
  playground,
}) => {
  const { page } = playground;
  await openView(playground, 'Prompts');
  const version = page.getByRole('textbox', { name: 'Version', exact: true });
  await expect(version).toHaveValue('1.1.0');
  await expect(page.getByTestId('expansion')).toContainText('The room was lovely');

  await page.getByRole('button', { name: 'New version' }).press('Enter');
  await expect(version).toHaveValue('1.2.0');
  await expect(page.getByRole('button', { name: 'New version' })).toBeFocused();
  await version.fill('1.2');
  await expect(page.getByText(/The version is not a version such as "1\.0\.0"/)).toBeVisible();
  await expect(page.getByRole('region', { name: 'Try the prompt' })).toContainText('This version has faults');
  await version.fill('1.2.0');
  await page.getByLabel('User message').fill('Classify what {GUEST} wrote:\n\n{TEXT}');
  await page.getByRole('button', { name: 'Declare {GUEST}' }).press('Enter');
  const guest = page.getByRole('group', { name: 'Parameter GUEST' });
  await expect(guest.getByLabel('Parameter')).toBeFocused();
  await guest.getByLabel('Type').selectOption('number');
  await guest.getByLabel('Default').pressSequentially('0.50');
  await expect(guest.getByLabel('Default')).toHaveValue('0.50');
  await expect(page.getByRole('textbox', { name: 'GUEST', exact: true })).toHaveAttribute(
    'placeholder',
    '0.5',
  );
  await guest.getByLabel('Default').clear();
  await guest.getByLabel('Type').selectOption('string');
  await expect(page.getByText('GUEST is missing.').first()).toBeVisible();
  await page.getByRole('textbox', { name: 'GUEST', exact: true }).fill('Ada');
  await expect(page.getByTestId('expansion')).toContainText('Classify what Ada wrote:');

  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(playground.status).toHaveText('Done');
  await expect(page.getByRole('region', { name: 'Run', exact: true })).toContainText('NEGATIVE');
  // beside the inspector, the form is narrow
  await expect(page.getByRole('separator', { name: 'Width of the inspector' })).toBeVisible();
  expect(await cutTexts(page.getByRole('region', { name: 'Prompts' }).locator('input'))).toEqual([]);

  await page.getByRole('tab', { name: 'Compare' }).click();
  await page.getByRole('button', { name: 'Run both' }).click();
  await expect(page.getByTestId('answers')).toContainText(/tokens.*tokens/s);
  expect(await cutTexts(page.getByTestId('answers').getByText(/^1\.[12]\.0$/))).toEqual([]);
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Answer with one word.');
  await expect(page.getByRole('tabpanel', { name: 'Compare' })).toContainText('from before your changes');

  await page.getByRole('tab', { name: 'Run', exact: true }).click();
  await expect(page.getByTestId('ran-prompt')).toHaveText('The prompt has changed since this run.');
  await page.getByRole('tab', { name: 'Compare' }).click();
  await expect(page.getByTestId('answers')).toContainText(/tokens.*tokens/s);
  await page.getByRole('tab', { name: 'Run', exact: true }).click();
  await page.getByRole('button', { name: 'Add as a case' }).click();
  await page.getByRole('button', { name: 'Open Evals' }).click();
  await expect(page.getByLabel('Name of case 10')).toHaveValue('from-run');
});

test(
  'a link shares prompts and a run of one of them, and keeps the reader’s own prompts',
  { tag: '@long' },
  async ({ playground, browser }) => {
    const { page } = playground;
    await openView(playground, 'Prompts');
    await page
      .getByLabel('System prompt')
      .fill('Answer with exactly one word: POSITIVE, NEGATIVE or NEUTRAL. Shared.');
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect(playground.status).toHaveText('Done');
    await page.getByTestId('share').click();
    await page.getByRole('radio', { name: 'Prompts and run' }).click();
    const { hash } = new URL(await page.getByRole('textbox', { name: /^Link to/ }).inputValue());
    expect(Object.keys(decodeLink(hash)).toSorted()).toEqual(['log', 'prompts']);

    const reader = await (await browser.newContext()).newPage();
    await reader.goto(page.url());
    await reader.getByRole('button', { name: 'Prompts', exact: true }).click();
    await reader.getByLabel('Name', { exact: true }).fill('My own');
    await reader.evaluate((to) => (location.hash = to), hash);
    await expect(reader.getByTestId('shared-run')).toBeVisible();
    await expect(reader.getByLabel('System prompt').first()).toHaveValue(/Shared\.$/);
    // a reload shows the shared prompts again
    expect(new URL(reader.url()).hash).toBe(hash);
    await reader.getByRole('button', { name: 'Restore your prompts' }).click();
    await expect(reader.getByLabel('Name', { exact: true })).toHaveValue('My own');
    await reader.context().close();
  },
);

test('with the keyboard, a user runs an eval, filters its results and shares it with them', async ({
  playground,
}) => {
  const { page } = playground;
  await openView(playground, 'Evals');
  await expect(page.getByTestId('plan')).toHaveText('36 runs');
  await page.getByRole('checkbox', { name: /^demo-small/ }).check();
  await page.getByRole('combobox', { name: 'Repeats' }).selectOption('1');
  await page.getByRole('combobox', { name: 'Parallel runs' }).selectOption('20');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(page.getByTestId('eval-status')).toHaveText('36 runs, 21 not passed');
  await expect(page.getByTestId('summary')).toHaveCount(4);
  await expect(page.getByTestId('summary').nth(2)).toContainText('8 passed, 1 failed');
  await expect(page.getByRole('columnheader', { name: '1.1.0 demo-small' })).toBeVisible();
  expect(await cutTexts(page.locator('thead th, tbody td *'))).toEqual([]);

  await page.getByRole('combobox', { name: 'Show' }).selectOption('passed');
  await expect(page.getByTestId('result-row')).toHaveCount(0);
  await page.getByRole('combobox', { name: 'Show' }).selectOption('all');
  await page.getByRole('searchbox', { name: 'Search cases' }).fill('omelette');
  await expect(page.getByTestId('result-row')).toHaveCount(1);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('answer')).toHaveCount(4);
  // the case has another position in the form than when its row was drawn
  await page.getByRole('button', { name: 'Remove praise', exact: true }).click();
  const answer = page.getByTestId('answer').first();
  await answer.getByRole('button', { name: 'Expect this answer' }).click();
  await expect(page.getByRole('textbox', { name: 'Expected answer of irony' })).toHaveValue(
    /^The feedback is /,
  );
  await expect(page.getByTestId('eval-status')).toContainText('before your changes');

  const hash = await sharedLink(playground);
  await page.reload();
  await expect(page.getByTestId('plan')).toBeVisible();
  await playground.follow(hash);
  await expect(page.getByTestId('eval-status')).toHaveText('36 runs, 21 not passed · from a link');
  await expect(page.getByTestId('summary').nth(2)).toContainText('8 passed, 1 failed');
});

test(
  'the run of an eval opens in the Prompts view, says what it is, and takes the focus',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    // the form of the prompt loads after the timeline
    await page.route(/prompts-pane/, async (route) => {
      await expect(page.getByRole('treegrid')).toBeVisible();
      await route.continue();
    });
    await openView(playground, 'Evals');
    await page.getByRole('combobox', { name: 'Repeats' }).selectOption('1');
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect(page.getByTestId('eval-status')).toContainText('18 runs,');
    await page.getByTestId('result-row').first().getByRole('button').press('Enter');
    await page.getByRole('button', { name: 'Open the run' }).first().press('Enter');
    await expect(page.getByTestId('shared-run')).toContainText('A run of this eval.');
    await expect(page.getByRole('region', { name: 'Run', exact: true })).toBeFocused();
  },
);

test('two versions that do not answer can be stopped', { tag: '@long' }, async ({ playground }) => {
  const { page } = playground;
  await openView(playground, 'Prompts');
  await withServer(page, async (server) => {
    const never = new Promise<never>(() => {});
    server.plan([never, never]);
    await page.getByRole('tab', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Run both' }).press('Enter');
    await page.getByRole('button', { name: 'Stop both' }).press('Enter');
    await expect(page.getByTestId('answers')).toContainText(/Stopped\..*Stopped\./s);
    await expect(page.getByRole('button', { name: 'Run both' })).toBeFocused();
  });
});

test(
  'the name of a new prompt takes the focus, and a deletion leaves it where it was',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await openView(playground, 'Prompts');
    await page.getByRole('button', { name: 'New prompt' }).click();
    await expect(page.getByLabel('Name', { exact: true })).toBeFocused();
    await page.keyboard.type('Greeting');
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Greeting');
    await page.getByRole('button', { name: 'Delete this version' }).press('Enter');
    await expect(page.getByLabel('Name', { exact: true })).not.toHaveValue('Greeting');
    await expect(page.getByRole('button', { name: 'Delete this version' })).toBeFocused();
  },
);

test(
  'a case that is added to a long eval is shown, and so are all others',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await openView(playground, 'Evals');
    const rows = Array.from({ length: 210 }, (_, index) => `row-${index},Fine.,POSITIVE`);
    await page.getByLabel('File of cases').setInputFiles({
      name: 'cases.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['id,TEXT,expect', ...rows].join('\n')),
    });
    const names = page.getByLabel(/^Name of case/);
    await expect(names).toHaveCount(100);
    // the message lies over the button until it leaves
    await expect(page.getByText('210 cases are added.')).toBeInViewport({ ratio: 1 });
    await page.getByRole('button', { name: 'Show more cases (119 left)' }).click();
    await expect(names).toHaveCount(200);
    await page.getByRole('button', { name: 'Add a case' }).click();
    await expect(page.getByLabel('Name of case 220')).toHaveValue('case-220');
    await expect(page.getByLabel('Name of case 220')).toBeFocused();
  },
);

test(
  'a message does not cover the control that the user has just used',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    const pressed = async (name: string | RegExp): Promise<void> => {
      const control = page.getByRole('button', { name }).last();
      await control.scrollIntoViewIfNeeded();
      const used = (await control.boundingBox())!;
      await control.click();
      const message = page.locator('[data-sonner-toast]').first();
      await expect(message).toBeInViewport({ ratio: 1 });
      const { x, y, width, height } = (await message.boundingBox())!;
      const isBeside = x > used.x + used.width || x + width < used.x;
      expect(isBeside || y > used.y + used.height || y + height < used.y).toBe(true);
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect(message).toHaveCount(0);
    };
    await openView(playground, 'Evals');
    await page.setViewportSize({ width: 390, height: 844 });
    await pressed(/^Remove (?!scorer)/);
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Prompts' }).click();
    await pressed('Delete this version');
  },
);

test('Stop ends an evaluation, and the results so far stay', { tag: '@long' }, async ({ playground }) => {
  const { page } = playground;
  await openView(playground, 'Evals');
  await page.getByRole('combobox', { name: 'Parallel runs' }).selectOption('1');
  await page.getByTestId('run-button').click();
  await expect(page.getByTestId('eval-status')).toHaveText(/^[1-9]\d* of 36 runs$/);
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('eval-status')).toHaveText(/^Stopped after \d+ of 36 runs$/);
  await expect(page.getByTestId('run-button')).toBeVisible();
});

test('a pattern from a link that never ends fails one case and does not block the page', async ({
  playground,
}) => {
  const { page } = playground;
  const input = { TEXT: `${'a'.repeat(40)}! lovely` };
  const settings = {
    prompt: 'classify-feedback',
    versions: ['1.0.0'],
    models: [],
    scorers: [{ kind: 'matches', value: '^(([a-zA-Z ]+)+)+$' }],
    repeat: 1,
    concurrency: 5,
    prices: {},
    cases: [{ id: 'evil', input, expect: '' }],
  };
  const prompt = {
    id: 'classify-feedback',
    version: '1.0.0',
    name: 'x',
    userPrompt: 'Is this POSITIVE, NEGATIVE or NEUTRAL?\n\n{TEXT}',
    userPromptParameters: [{ name: 'TEXT', type: 'string' }],
  };
  await playground.open();
  const hash = encodeLink({ prompts: { prompts: [prompt] }, evaluation: { settings } });
  await playground.follow(hash);
  await expect(page.getByTestId('plan')).toHaveText('1 run');
  await page.getByTestId('run-button').click();
  await expect(page.getByTestId('eval-status')).toHaveText('1 run, 1 not passed');
  await page.locator('[data-case=evil] button').click();
  await expect(page.getByTestId('answer')).toContainText('the pattern takes longer than 1000 ms');
});
