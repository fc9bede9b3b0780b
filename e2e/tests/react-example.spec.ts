import { expect, type Page } from '@playwright/test';
import { test, answers } from './react-example-page.ts';
import { storedData } from './stored-data.ts';

test.use({ baseURL: 'http://localhost:4174' });

const toolCards = (page: Page) =>
  page
    .locator('[data-tool]')
    .evaluateAll((cards) => cards.map((card) => `${card.dataset['tool']}: ${card.dataset['state']}`));

/**
 * Presses Stop as soon as a call is shown as running. This happens inside the page, because a call could end before a
 * click from outside.
 */
const stopAtCall = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise((done) => {
        const observer = new MutationObserver(() => {
          if (document.querySelector('[data-tool][data-state=running]') === null) return;
          const stop = [...document.querySelectorAll('button')].find(
            ({ textContent }) => textContent === 'Stop',
          );
          if (stop === undefined) return;
          observer.disconnect();
          stop.click();
          done();
        });
        observer.observe(document, { subtree: true, childList: true, attributes: true });
      }),
  );

test.describe('the chat', () => {
  test('looks things up with a tool, turn after turn', async ({ app }) => {
    const { page } = app;
    await app.open('#/chat');
    await page.getByRole('button', { name: 'When does Ada arrive?' }).click();
    await expect(page.locator('[data-tool=findBooking]')).toHaveAttribute('data-state', 'running');
    await app.stands('done');
    await expect(answers(page)).toContainText('Ada arrives on 2026-12-12 and stays for 3 nights');
    expect(await app.calls()).toEqual({ model: 2, 'guesthouse:findBooking': 1 });

    await app.say('Which rooms are free on 2026-12-14?');
    await expect(answers(page)).toHaveCount(2);
    await app.stands('done');
    await expect(answers(page).last()).toContainText('Tower room');
    expect(await toolCards(page)).toEqual([
      'findBooking: output-available',
      'listFreeRooms: output-available',
    ]);
    expect(await app.calls()).toEqual({
      model: 4,
      'guesthouse:findBooking': 1,
      'guesthouse:listFreeRooms': 1,
    });
  });

  test(
    'shows the arguments of a call while they arrive, and opens to show the whole call',
    { tag: '@long' },
    async ({ app }) => {
      const { page } = app;
      await app.open('#/chat');
      await app.say('Tell Grace that her room is ready');
      const card = page.locator('[data-tool=sendMail]');
      await expect(card).toHaveAttribute('data-state', 'input-streaming');
      await expect(card.locator('summary')).toContainText('grace@');
      await page.getByTestId('approval').waitFor();
      await card.locator('summary').click();
      await expect(card).toContainText('"subject": "Your sea room on 2026-12-14"');
    },
  );

  test('shows the error of a tool', { tag: '@long' }, async ({ app }) => {
    const { page } = app;
    await app.open('#/chat');
    await app.say('When does Zoe arrive?');
    await app.stands('done');
    await expect(answers(page)).toContainText('There is no booking for Zoe');
    expect(await toolCards(page)).toEqual(['findBooking: output-error']);
  });

  test('a message that is sent during an answer waits for its end', async ({ app }) => {
    const { page } = app;
    await app.open('#/chat');
    await app.say('When does Ada arrive?');
    await app.say('When does Alan arrive?');
    await expect(page.getByTestId('status')).toContainText('1 more in the queue');
    await expect(answers(page)).toHaveCount(2);
    await app.stands('done');
    await expect(answers(page).first()).toContainText('Ada arrives');
    await expect(answers(page).last()).toContainText('Alan arrives');
  });

  test('stops, and tries again', async ({ app }) => {
    const { page } = app;
    await app.open('#/chat');
    const pressed = stopAtCall(page);
    await app.say('When does Ada arrive?');
    await pressed;
    await app.stands('stopped');
    expect(await toolCards(page)).toEqual(['findBooking: interrupted']);
    await page.getByRole('button', { name: 'Try again' }).click();
    await app.stands('done');
    await expect(answers(page)).toHaveCount(1);
    await expect(answers(page)).toContainText('Ada arrives');
  });

  test('continues after a failure', async ({ app }) => {
    const { page } = app;
    await app.open('#/chat');
    await app.say('Break, please');
    await app.stands('error');
    await expect(page.getByTestId('status')).toContainText('The simulated line broke');
    await page.getByRole('button', { name: 'Go on' }).click();
    await app.stands('done');
    await expect(answers(page)).toContainText('The line has held');
  });

  test('keeps several conversations, one of which continues while another is shown', async ({ app }) => {
    const { page } = app;
    await app.open('#/chat');
    await app.say('When does Ada arrive?');
    await page.getByRole('button', { name: 'New conversation' }).click();
    await expect(page.getByText('The desk of a small guesthouse')).toBeVisible();
    await app.say('When does Alan arrive?');
    await expect(answers(page)).toContainText('Alan arrives');
    await page.getByRole('link', { name: 'Chat', exact: false }).first().click();
    await expect(answers(page)).toContainText('Ada arrives');
    await expect(page.getByRole('navigation', { name: 'Conversations' }).getByRole('link')).toHaveCount(2);
    expect(await app.calls()).toEqual({ model: 4, 'guesthouse:findBooking': 2 });
  });
});

test.describe('an approval', () => {
  test.beforeEach(async ({ app }) => {
    await app.open('#/chat');
    await app.say('Tell Grace that her room is ready');
    await app.page.getByTestId('approval').waitFor();
    await app.stands('waiting');
  });

  test('is given', async ({ app }) => {
    const { page } = app;
    await page.getByRole('button', { name: 'Approve' }).click();
    await app.stands('done');
    await expect(answers(page)).toContainText(
      'Sent to grace@example.com, under “Your sea room on 2026-12-14”.',
    );
    expect(await app.calls()).toEqual({ model: 3, 'guesthouse:findBooking': 1, 'guesthouse:sendMail': 1 });
    await expect(page.getByLabel('Message')).toBeFocused();
  });

  test('is given after a change of the arguments', { tag: '@long' }, async ({ app }) => {
    const { page } = app;
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('To').fill('nobody');
    await expect(page.getByText('Give an e-mail address.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Send this' })).toBeDisabled();
    await page.getByLabel('To').fill('grace@other.example');
    await page.getByLabel('Subject').fill('Noon it is');
    await page.getByRole('button', { name: 'Send this' }).click();
    await app.stands('done');
    await expect(answers(page)).toContainText('Sent to grace@other.example, under “Noon it is”.');
    await expect(page.locator('[data-tool=sendMail] summary')).toContainText('Noon it is');
    expect((await app.calls())['guesthouse:sendMail']).toBe(1);
  });

  test('is refused, and the model reads the reason', { tag: '@long' }, async ({ app }) => {
    const { page } = app;
    await page.getByLabel('Why not').fill('She is here already');
    await page.getByRole('button', { name: 'Refuse' }).click();
    await app.stands('done');
    await expect(answers(page)).toContainText('I have not sent it. You said: “She is here already”.');
    expect(await app.calls()).toEqual({ model: 3, 'guesthouse:findBooking': 1 });
    await app.say('Write to Grace all the same');
    await page.getByTestId('approval').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await expect(answers(page).last()).toContainText('Sent to grace@example.com');
  });
});

test.describe('a reload', () => {
  test('in the middle of a step: finished calls are not repeated', { tag: '@long' }, async ({ app }) => {
    const { page } = app;
    await app.open('#/chat');
    await app.say('Tell Grace that her room is ready');
    await expect(page.locator('[data-tool=sendMail]')).toHaveAttribute('data-state', 'input-streaming');
    await expect.poll(() => storedData(page)).toMatch(/"tool-input-start"[^}]*"sendMail"/);
    await page.reload();

    await app.stands('error');
    await expect(page.getByTestId('status')).toContainText('The page was left before the end');
    expect(await toolCards(page)).toEqual(['findBooking: output-available', 'sendMail: interrupted']);
    await page.waitForTimeout(1_000);
    expect(await app.calls()).toEqual({});

    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByTestId('approval').waitFor();
    expect(await app.calls()).toEqual({ model: 1 });
    await page.getByRole('button', { name: 'Approve' }).click();
    await app.stands('done');
    expect(await app.calls()).toEqual({ model: 2, 'guesthouse:sendMail': 1 });
    expect(await toolCards(page)).toEqual(['findBooking: output-available', 'sendMail: output-available']);

    await page.reload();
    await app.stands('done');
    await app.say('When does Ada arrive?');
    await expect(answers(page).last()).toContainText('Ada arrives');
    expect(await app.calls()).toEqual({ model: 2, 'guesthouse:findBooking': 1 });
  });

  test('while an approval waits: the page asks again', async ({ app }) => {
    const { page } = app;
    await app.open('#/chat');
    await app.say('Tell Grace that her room is ready');
    await page.getByTestId('approval').waitFor();
    await expect.poll(() => storedData(page)).toContain('"approval-request"');
    await page.reload();
    await app.stands('error');
    await expect(page.getByTestId('approval')).toHaveCount(0);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('button', { name: 'Approve' }).click();
    await app.stands('done');
    expect(await app.calls()).toEqual({ model: 2, 'guesthouse:sendMail': 1 });
  });

  test(
    'in the middle of a task list: the run continues with the current task, and the edits stay',
    { tag: '@long' },
    async ({ app }) => {
      const { page } = app;
      await app.open('#/tasks');
      await page.getByLabel('Tasks').fill('Choose rooms\nOrder breakfast');
      await page.getByRole('button', { name: 'Begin with 2 tasks' }).click();
      await expect(page.locator('[data-task=task-1]')).toHaveAttribute('data-status', 'completed');
      await page.getByLabel('Another task').fill('Buy flowers');
      await page.getByRole('button', { name: 'Add' }).click();
      await expect(page.locator('[data-task=task-2]')).toHaveAttribute('data-status', 'in_progress');
      await expect.poll(() => storedData(page)).toContain('Buy flowers');
      await page.reload();

      await app.stands('error');
      await expect(page.getByTestId('progress')).toContainText('1 of 3');
      await expect(page.locator('[data-task=task-3]')).toContainText('Buy flowers');
      await page.waitForTimeout(1_000);
      expect(await app.calls()).toEqual({});
      const isLookedUp = (await storedData(page)).includes('Notes on “Order breakfast”');

      await page.getByRole('button', { name: 'Go on' }).click();
      await app.stands('done');
      await expect(page.getByTestId('progress')).toContainText('3 of 3');
      // once for each of the two tasks that were not done, unless the reload came after the first of these calls
      expect((await app.calls())['guesthouse:lookUp']).toBe(isLookedUp ? 1 : 2);
    },
  );

  test('keeps the booking that was read', async ({ app }) => {
    const { page } = app;
    await app.open('#/form');
    await page.getByRole('button', { name: 'Read the booking' }).click();
    await app.stands('done');
    await expect.poll(() => storedData(page)).toContain('"outcome":"done"');
    await page.reload();
    await expect(page.getByLabel('Guest', { exact: true })).toHaveValue('Marta Costa');
    expect(await app.calls()).toEqual({});
  });
});

test('without storage, the page shows a notice and still works', async ({ app }) => {
  const { page } = app;
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('no', 'SecurityError');
    };
  });
  await app.open('#/chat');
  await app.say('When does Ada arrive?');
  await app.stands('done');
  await expect(answers(page)).toContainText('Ada arrives');
  await expect(
    page.getByText('Not kept over a reload: this browser lets the page store nothing.'),
  ).toBeVisible();
});

test('every feature works with the keyboard', async ({ app }) => {
  const { page } = app;
  /** Presses Tab until an element with this name has the focus. */
  async function tabTo(name: RegExp): Promise<void> {
    for (let presses = 0; presses < 40; presses += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const element = document.activeElement as (HTMLElement & { labels?: NodeListOf<HTMLElement> }) | null;
        if (element === document.body) return '';
        return `${element?.ariaLabel ?? ''} ${element?.labels?.[0]?.innerText ?? ''} ${element?.innerText ?? ''}`;
      });
      if (name.test(focused)) return;
    }
    throw new Error(`Tab does not reach an element named ${name}.`);
  }

  await app.open('#/chat');
  await tabTo(/Tell Grace that her room is ready/);
  await page.keyboard.press('Enter');
  // an element that disappears when it is used leaves the focus at a useful place
  await expect(page.getByLabel('Message')).toBeFocused();
  await page.getByTestId('approval').waitFor();
  await tabTo(/Edit/);
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('To')).toBeFocused();
  await tabTo(/Subject/);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('By keyboard');
  await tabTo(/Send this/);
  await page.keyboard.press('Space');
  await expect(answers(page)).toContainText('By keyboard');
  await expect(page.getByLabel('Message')).toBeFocused();
  // in Safari, the Enter that ends a word of an input method has only this key code
  await page.keyboard.type('にほん');
  await page.getByLabel('Message').dispatchEvent('keydown', { key: 'Enter', keyCode: 229 });
  await expect(page.getByLabel('Message')).toHaveValue('にほん');

  await tabTo(/Task list/);
  await page.keyboard.press('Enter');
  // a page is ready once it has read its stored data, and Tab would come earlier
  await page.getByLabel('Tasks').waitFor();
  // a system with colors of its own marks the page that is open, and that its link has the focus
  await page.emulateMedia({ forcedColors: 'active' });
  await expect(page.getByRole('link', { name: /Task list/ })).toHaveCSS('outline-width', '4px');
  await expect(page.getByRole('link', { name: /Chat/ })).toHaveCSS('outline-style', 'none');
  await page.emulateMedia({ forcedColors: null });
  await tabTo(/^Tasks/);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('one\ntwo\nthree');
  await tabTo(/Begin with 3 tasks/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  await page.locator('[data-task=task-3]').waitFor();
  await tabTo(/^Skip: three/);
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-task=task-3]')).toHaveAttribute('data-status', 'skipped');
  await expect(page.locator('[data-task=task-3]').getByRole('button', { name: /^Do again/ })).toBeVisible();
  await expect(page.locator('[data-task=task-3]')).toBeFocused();
  await tabTo(/^ *Stop/);
  await page.keyboard.press('Enter');
  await app.stands('stopped');
  await expect(page.getByRole('button', { name: 'Try again' })).toBeFocused();

  await tabTo(/^ *Form/);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Read the booking' }).waitFor();
  await tabTo(/Read the booking/);
  await page.keyboard.press('Enter');
  await app.stands('done');
  await tabTo(/Save/);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Saved: Marta Costa, 2 guests, 3 nights.')).toBeVisible();
});
