import { expect, test, withServer, type Playground } from './playground-page.ts';
import { call, script } from './slow-tool.ts';

test.describe('an approval', () => {
  /** Runs the example until it asks for an approval, with the keyboard only. */
  async function untilAsked({ page, approval, ...playground }: Playground): Promise<void> {
    await playground.open();
    await playground.pick('Ask before sending');
    await page.getByTestId('share').focus();
    await page.keyboard.press('ControlOrMeta+Enter');
    // the demo model writes at its own pace, on a busy machine slowly
    await expect(approval).toBeFocused({ timeout: 60_000 });
  }

  test('can be given with the keyboard alone', { tag: '@long' }, async ({ playground }) => {
    const { page } = playground;
    await untilAsked(playground);
    await expect(playground.status).toHaveText(/Waiting for you/);
    await expect(page.getByTestId('stop-button')).toBeVisible();
    await expect(playground.tool('sendMail')).toContainText('Waiting for you');
    await page.keyboard.press('Tab');
    await expect(page.getByRole('button', { name: 'Approve' })).toBeFocused();
    await page.keyboard.press('Enter');
    expect(await playground.ended()).toBe('done');
    await expect(playground.approval).toHaveCount(0);
    await expect(playground.tool('sendMail')).toContainText('Approved.');
    await expect(page.getByLabel('Answer', { exact: true }).last()).toContainText('The mail is on its way');
    // the focus is not lost when the approval disappears
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Run');

    // a card takes the focus from the box in which the user has sent the reply
    await page.getByRole('textbox', { name: 'Reply' }).focus();
    await page.keyboard.type('Once more, please.');
    await page.keyboard.press('Enter');
    await expect(playground.approval).toBeFocused();
  });

  test('can be refused with a reason, which the model reads', { tag: '@long' }, async ({ playground }) => {
    const { page } = playground;
    await untilAsked(playground);
    await page.getByLabel('Reason for refusing').focus();
    await page.keyboard.type('she has left');
    await page.keyboard.press('Enter');
    expect(await playground.ended()).toBe('done');
    await expect(playground.tool('sendMail')).toContainText('Refused: she has left');
    await playground.tool('sendMail').getByRole('button').click();
    await expect(playground.tool('sendMail')).toContainText('the user did not approve it: she has left');
    await expect(page.getByLabel('Answer', { exact: true }).last()).toContainText(
      'I have not written to Ada',
    );
  });

  test('can change the arguments in a form, and the tool gets real line breaks', async ({ playground }) => {
    const { page, approval } = playground;
    await playground.open();
    await withServer(page, async (server) => {
      server.plan([call('send', { to: 'ada@example.com', text: 'Noon.' }), { text: 'Sent.' }]);
      await playground.write(
        script(`prompt.defTool(
    'send',
    'Sends a mail',
    z.object({ to: z.email(), text: z.string(), copies: z.number().optional() }),
    ({ to, text, copies }) => [to, ...text.split('\\n'), copies].join(' | '),
    { needsApproval: true },
  );`),
      );
      await page.getByTestId('share').focus();
      await page.keyboard.press('ControlOrMeta+Enter');
      await expect(approval).toBeFocused();
      await approval.getByRole('button', { name: 'Edit' }).focus();
      await page.keyboard.press('Enter');
      await expect(approval.getByLabel('to', { exact: true })).toBeFocused();
      await page.keyboard.press('Tab');
      await expect(approval.getByLabel('text', { exact: true })).toBeFocused();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('Dear Ada,');
      await page.keyboard.press('Enter');
      await page.keyboard.type('your room is ready.');

      // a problem is beside its field, and keeps what is typed
      const copies = approval.getByLabel('copies');
      await page.keyboard.press('Tab');
      await page.keyboard.type('two');
      await approval.getByRole('button', { name: 'Approve with changes' }).click();
      await expect(copies).toBeFocused();
      await expect(copies).toHaveAccessibleDescription('Enter a number.');
      await copies.fill('2');
      await page.keyboard.press('ControlOrMeta+Enter');
      expect(await playground.ended()).toBe('done');
      await playground.tool('send').getByRole('button').click();
      await expect(playground.tool('send').getByRole('group', { name: 'Output' })).toContainText(
        'ada@example.com | Dear Ada, | your room is ready. | 2',
      );
    });
  });

  test(
    'has the arguments as fields and as JSON, which carry over',
    { tag: '@long' },
    async ({ playground }) => {
      const { page, approval } = playground;
      await untilAsked(playground);
      await approval.getByRole('button', { name: 'Edit' }).click();
      const fields = approval.getByRole('radio', { name: 'Fields' });
      const json = approval.getByRole('radio', { name: 'JSON' });
      await approval.getByLabel('text', { exact: true }).fill('Noon,\nor later.');
      await json.click();
      const editor = approval.getByLabel('Arguments as JSON');
      await expect(editor).toHaveValue(/"text": "Noon,\\nor later\."/);
      await editor.fill('{ "to": ');
      await fields.click();
      await expect(approval.getByRole('alert')).toContainText('This is not JSON');
      await expect(json).toBeChecked();
      await expect(editor).toHaveValue('{ "to": ');
      await editor.fill('{ "to": "grace@example", "subject": "Hi", "text": "One." }');
      await fields.click();
      await expect(approval.getByLabel('to', { exact: true })).toHaveValue('grace@example');

      // the tool’s schema refuses the address: the run asks again, and says so at the field
      await approval.getByRole('button', { name: 'Approve with changes' }).click();
      const to = approval.getByLabel('to', { exact: true });
      await expect(to).toHaveAccessibleDescription(/Invalid email/);
      await expect(to).toBeFocused();
      // Esc leaves the field, and loses nothing
      await to.fill('grace@example.com');
      await page.keyboard.press('Escape');
      await expect(approval.getByRole('button', { name: 'Undo edits' })).toBeFocused();
      await expect(to).toHaveValue('grace@example.com');
      await approval.getByRole('button', { name: 'Approve with changes' }).click();
      expect(await playground.ended()).toBe('done');
      await expect(playground.tool('sendMail')).toContainText('Approved, with changed arguments');
      await playground.tool('sendMail').getByRole('button').click();
      await expect(playground.tool('sendMail').getByRole('group', { name: 'Output' })).toContainText(
        'grace@example.com',
      );
    },
  );

  test(
    'does not take the focus from the script, and has a shortcut',
    { tag: '@long' },
    async ({ playground }) => {
      const { page, approval } = playground;
      await playground.open();
      await playground.pick('Ask before sending');
      await playground.editor.locator('.view-line').first().click();
      await page.keyboard.press('ControlOrMeta+Enter');
      await expect(approval).toBeVisible();
      await expect(approval).not.toBeFocused();
      await page.keyboard.press('ControlOrMeta+Shift+Enter');
      await expect(approval).toBeFocused();
      await page.keyboard.press('Escape');
      expect(await playground.ended()).toBe('stopped');
      await expect(approval).toHaveCount(0);
      await expect(playground.tool('sendMail')).toHaveAttribute('data-state', 'interrupted');
    },
  );

  test('appears one at a time', { tag: '@long' }, async ({ playground }) => {
    const { page, approval } = playground;
    await playground.open();
    await withServer(page, async (server) => {
      server.plan([[call('send', { to: 'Ada' }), call('send', { to: 'Grace' })], { text: 'Sent.' }]);
      await playground.write(
        script(
          "prompt.defTool('send', 'Sends', z.object({ to: z.string() }), ({ to }) => `to ${to}`, { needsApproval: true });",
        ),
      );
      await playground.run();
      await expect(approval).toContainText('1 of 2');
      await expect(approval).toContainText('Ada');
      await approval.getByRole('button', { name: 'Approve' }).click();
      await expect(approval).toContainText('2 of 2');
      await expect(approval).toContainText('Grace');
      await expect(approval).toBeFocused();
      await approval.getByRole('button', { name: 'Refuse' }).click();
      expect(await playground.ended()).toBe('done');
      await expect(playground.tool('send').first()).toContainText('to Ada');
      await expect(playground.tool('send').last()).toContainText('Refused');
    });
  });
});
