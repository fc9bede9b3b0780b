import { expect, type Locator } from '@playwright/test';
import { test, onPage, answers } from './react-example-page.ts';

test.use({ baseURL: 'http://localhost:4174' });

test.describe('two tabs', () => {
  test(
    'the second one shows the first one’s run, responds to its approval, and continues the conversation',
    { tag: '@long' },
    async ({ app }) => {
      const first = app.page;
      await app.open('#/chat');
      await app.say('Tell Grace that her room is ready');
      await first.getByTestId('approval').waitFor();

      const other = onPage(await first.context().newPage());
      await other.open('#/chat');
      await other.page.getByTestId('approval').waitFor();
      await other.page.getByRole('button', { name: 'Approve' }).click();
      await app.stands('done');
      await other.stands('done');
      await expect(answers(other.page)).toContainText('Sent to grace@example.com');
      await expect(first.getByText('Not kept over a reload')).toHaveCount(0);

      await other.say('When does Ada arrive?');
      await other.stands('done');
      await expect(answers(first)).toHaveCount(2);
      await expect(answers(first).last()).toContainText('Ada arrives');
      await app.stands('done');
    },
  );

  test('the second one stops the first, and takes over when it is closed', async ({ app }) => {
    const first = app.page;
    await app.open('#/chat');
    const other = onPage(await first.context().newPage());
    await other.open('#/chat');
    await app.say('Tell Grace that her room is ready');
    await other.page.getByTestId('approval').waitFor();
    await other.page.getByRole('button', { name: 'Stop' }).click();
    await app.stands('stopped');
    await other.stands('stopped');

    await first.getByRole('button', { name: 'Try again' }).click();
    await first.getByTestId('approval').waitFor();
    await other.page.getByTestId('approval').waitFor();
    await first.close();
    // it asks again, because nothing was done without approval
    await other.stands('running');
    await other.stands('waiting');
    await other.page.getByRole('button', { name: 'Approve' }).click();
    await other.stands('done');
    await expect(answers(other.page).last()).toContainText('Sent to grace@example.com');
  });
});

test.describe('the task list', () => {
  test.use({ fresh: true });
  test('takes every kind of edit while the model works, and the model reads it', async ({ app }) => {
    const { page } = app;
    // the test controls the page's clock, so that the model cannot continue while the test edits
    const passUntil = (seen: () => Promise<unknown>, wanted: unknown, step = 20) =>
      expect
        .poll(
          async () => {
            await page.clock.runFor(step);
            return seen();
          },
          { intervals: [0], timeout: 30_000 },
        )
        .toEqual(wanted);
    const statusOf = (locator: Locator) => async () =>
      (await locator.count()) === 0 ? undefined : locator.getAttribute('data-status');
    await page.clock.install();
    const task = (number: number) => page.locator(`[data-task=task-${number}]`);
    const change = (words: string, number: number) =>
      task(number)
        .getByRole('button', { name: new RegExp(`^${words}:`) })
        .click();
    const order = () =>
      page.locator('[data-task]').evaluateAll((rows) => rows.map((row) => row.dataset['task']));

    await app.open('#/tasks');
    await page.getByLabel('Tasks').fill(['one', 'two', 'three', 'four', 'five', 'six'].join('\n'));
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole('button', { name: 'Begin with 6 tasks' }).click();
    await passUntil(statusOf(task(1)), 'in_progress');

    await change('Move up', 6);
    await passUntil(order, ['task-1', 'task-2', 'task-3', 'task-4', 'task-6', 'task-5']);
    await change('Rename', 2);
    await page.getByLabel('New title for: two').fill('deux');
    await page.keyboard.press('Enter');
    await passUntil(async () => (await task(2).textContent())?.includes('deux'), true);
    await expect(task(2)).toBeFocused();
    await change('Skip', 3);
    await passUntil(statusOf(task(3)), 'skipped');
    await change('Remove', 4);
    await passUntil(() => task(4).count(), 0);
    await change('Give the result', 5);
    await page.getByLabel('Result of: five').fill('by hand');
    await page.keyboard.press('Enter');
    await passUntil(statusOf(task(5)), 'completed');
    await page.getByLabel('Another task').fill('seven');
    await page.getByRole('button', { name: 'Add' }).click();
    await passUntil(() => task(7).count(), 1);
    await expect(task(7)).toContainText('yours');
    await passUntil(statusOf(task(1)), 'completed');
    await change('Do again', 1);
    await passUntil(async () => (await statusOf(task(1))()) === 'completed', false);

    await passUntil(statusOf(page.getByTestId('status')), 'done', 200);
    await expect(page.getByTestId('progress')).toContainText('6 of 6');
    await expect(task(5)).toContainText('by hand');
    const said = page.getByRole('log');
    for (const words of [
      'The user moved task-6 “six” after task-4.',
      'The user renamed task-2 “two” to “deux”.',
      'The user skipped task-3 “three”.',
      'The user removed task-4 “four”.',
      'The user completed task-5 “five” with the result: by hand',
      'The user added task-7 “seven”',
      'The user wants task-1 “one” to be done again.',
    ]) {
      await expect(said).toContainText(words);
    }
  });
});

test('the task list: the model returns a refused result again', { tag: '@long' }, async ({ app }) => {
  const { page } = app;
  await app.open('#/tasks');
  await page.getByLabel('Tasks').fill('Write a welcome note');
  await page.getByRole('button', { name: 'Begin with 1 task' }).click();
  await expect(page.locator('[data-task=task-1]')).toContainText('Use 90 at most');
  await app.stands('done');
  await expect(page.locator('[data-task=task-1]')).toContainText('The key hangs by the door.');
});

test.describe('the form', () => {
  test('fills while the answer arrives, and can then be edited', async ({ app }) => {
    const { page } = app;
    await app.open('#/form');
    // the page itself checks at each frame: a request from the test may arrive after the rest of the answer
    const fillsFromTheTop = page.waitForFunction(() => {
      const field = (label: string): HTMLInputElement | undefined =>
        [...document.querySelectorAll('label')].find(({ textContent }) => textContent === label)
          ?.control as HTMLInputElement;
      const guest = field('Guest');
      return guest?.value === 'Marta Costa' && guest.readOnly && field('Wishes')?.value === '';
    });
    await page.getByRole('button', { name: 'Read the booking' }).click();
    await fillsFromTheTop;
    await app.stands('done');
    await expect(page.getByLabel('Arrival')).toHaveValue('2026-12-12');
    await expect(page.getByLabel('Room')).toHaveValue('sea');
    await expect(page.getByText('Read: Marta Costa, 2 guests, 3 nights. Not saved yet.')).toBeVisible();

    await page.getByLabel('Guests').fill('9');
    await page.getByLabel('Departure').fill('2026-12-01');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('The house takes six at most.')).toBeVisible();
    await page.getByLabel('Guests').fill('3');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Departure is after arrival.')).toBeVisible();
    await page.getByLabel('Departure').fill('2026-12-16');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Saved: Marta Costa, 3 guests, 4 nights.')).toBeVisible();
  });

  test('shows which parts of an answer did not fit', { tag: '@long' }, async ({ app }) => {
    const { page } = app;
    await app.open('#/form');
    await page.getByRole('button', { name: 'Too many people' }).click();
    await page.getByRole('button', { name: 'Read the booking' }).click();
    await app.stands('done');
    await expect(page.getByRole('region', { name: 'asked to answer again' })).toContainText(
      'guests: The house takes six at most.',
    );
    await expect(page.getByLabel('Guests')).toHaveValue('6');
    expect(await app.calls()).toEqual({ model: 2 });
  });

  test('can be filled in by hand if there is nothing to read', { tag: '@long' }, async ({ app }) => {
    const { page } = app;
    await app.open('#/form');
    await page.getByRole('button', { name: 'No booking at all' }).click();
    await page.getByRole('button', { name: 'Read the booking' }).click();
    await app.stands('error');
    await expect(page.getByTestId('status')).toContainText('did not fit its schema after 3 attempts');
    await expect(page.getByLabel('Guest', { exact: true })).toBeEditable();
    await expect(page.getByLabel('Guest', { exact: true })).toHaveValue('Ines');
  });
});
