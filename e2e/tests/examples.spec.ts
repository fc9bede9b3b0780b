import type { Reply } from '../server/model.ts';
import { expect, test, withServer } from './playground-page.ts';
import { call, script, change } from './slow-tool.ts';

test.describe('tasks', () => {
  test('change while the run continues, and keep their results', { tag: '@long' }, async ({ playground }) => {
    const { page, task } = playground;
    const progress = page.getByTestId('task-progress');
    const handedIn = playground.tool('finishTask');
    await playground.open();
    await playground.pick('Task list');
    await playground.run();
    await expect(task('task-1')).toHaveAttribute('data-status', 'in_progress');
    await expect(progress).toHaveText('0 of 3');
    await expect(task('task-1')).toContainText('There are exactly "42" boxes in all.');
    await expect(handedIn.first()).toHaveAttribute('data-verdict', 'refused');
    await expect(handedIn.first()).toContainText('Not accepted');
    await expect(handedIn.first()).toContainText('There are exactly "42" boxes in all.');
    await expect(task('task-2')).toHaveAttribute('data-status', 'in_progress');
    await expect(progress).toHaveText('1 of 3');
    await expect(task('task-3')).toHaveAttribute('data-status', 'pending');
    expect(await playground.ended()).toBe('done');
    await expect(progress).toHaveText('3 of 3');
    await expect(handedIn.last()).toHaveAttribute('data-verdict', 'accepted');
    await expect(task('task-1')).toContainText('2 attempts');
    await expect(task('task-1')).not.toContainText('14 of the kitchen');
    await task('task-1').getByRole('button').click();
    await expect(task('task-1')).toContainText('14 of the kitchen');
    await expect(page.getByRole('button', { name: 'Add a task' })).toHaveCount(0);
  });

  test('accept the user’s changes, which the model reads', async ({ playground }) => {
    const { page, task } = playground;
    await playground.open();
    await withServer(page, async (server) => {
      const edited = Promise.withResolvers<Reply>();
      const last = Promise.withResolvers<Reply>();
      server.plan([
        call('startTask'),
        edited.promise,
        call('finishTask', { result: 'Two is done.' }),
        last.promise,
      ]);
      await playground.write(
        script("prompt.defTaskList([{ task: 'One' }, { task: 'Two' }, { task: 'Three' }]);"),
      );
      await playground.run();
      await expect(task('task-1')).toHaveAttribute('data-status', 'in_progress');

      // with the keyboard alone
      await page.getByRole('button', { name: 'Add a task' }).focus();
      await page.keyboard.press('Enter');
      await expect(page.getByLabel('New task')).toBeFocused();
      await page.keyboard.type('Four');
      await page.keyboard.press('Enter');
      await expect(task('task-4')).toContainText('yours');
      // the field stays for the next task; Esc leaves it, and does not stop the run
      await expect(page.getByLabel('New task')).toHaveValue('');
      await page.keyboard.press('Escape');
      await expect(page.getByRole('button', { name: /^Tasks/ })).toBeFocused();
      await change(page, task('task-2'), 'Rename');
      await page.keyboard.type('Two, but shorter');
      await page.keyboard.press('Enter');
      await expect(task('task-2')).toContainText('Two, but shorter');
      await expect(task('task-2').getByRole('button', { name: /^Change task/ })).toBeFocused();
      await change(page, task('task-3'), 'Skip');
      await expect(task('task-3')).toHaveAttribute('data-status', 'skipped');
      await change(page, task('task-4'), 'Remove');
      await expect(task('task-4')).toHaveCount(0);
      edited.resolve(call('finishTask', { result: 'One is done.' }));

      // a menu that closes because the run ends leaves the focus at a useful place
      await task('task-3')
        .getByRole('button', { name: /^Change task/ })
        .focus();
      await page.keyboard.press('Enter');
      await expect(page.getByRole('menuitem', { name: 'Redo' })).toBeVisible();
      last.resolve({ text: 'All is done.' });
      expect(await playground.ended()).toBe('done');
      await expect(page.getByRole('button', { name: /^Tasks/ })).toBeFocused();
      const [, , third = ''] = server.calls.map(({ text }) => text);
      expect(third).toContain('The user added task-4 “Four”');
      expect(third).toContain('The user renamed task-2 “Two” to “Two, but shorter”.');
      expect(third).toContain('The user skipped task-3 “Three”.');
      expect(third).toContain('The user removed task-4 “Four”.');
      expect(server.calls.at(-1)!.text).toContain('Two, but shorter → Two is done.');
    });
  });

  test('show at the task why a change was refused', { tag: '@long' }, async ({ playground }) => {
    const { page, task } = playground;
    await playground.open();
    await withServer(page, async (server) => {
      server.plan([
        call('finishTask', { result: 'One.' }),
        call('finishTask', { result: 'Two.' }),
        { text: 'Done.' },
      ]);
      await playground.write(
        script(`prompt.defTaskList([
    { task: 'One' },
    { task: 'Two', validation: () => new Promise(() => {}) },
  ]);`),
      );
      await playground.run();
      await expect(task('task-2')).toHaveAttribute('data-status', 'validating');
      await change(page, task('task-1'), 'Redo');
      await expect(task('task-1').getByRole('alert')).toContainText('while task-2 is being validated');
      await expect(task('task-1')).toHaveAttribute('data-status', 'completed');
      await expect(task('task-1').getByRole('button', { name: /^Change task/ })).toBeFocused();
      await page.keyboard.press('Escape');
      expect(await playground.ended()).toBe('stopped');
      await expect(page.getByRole('button', { name: /^Tasks/ })).toBeFocused();
    });
  });

  test(
    'of a script that hangs cannot be changed, and the page does not wait',
    { tag: '@long' },
    async ({ playground }) => {
      const { page, task } = playground;
      await playground.open();
      await playground.write(
        script(
          "prompt.defTool('hang', 'Hangs', z.object({}), () => { for (;;); }, { needsApproval: true });\n  prompt.defTaskList([{ task: 'hang' }]);",
        ),
      );
      await playground.run();
      await expect(playground.approval).toBeVisible();
      await page.getByRole('button', { name: 'Add a task' }).click();
      await page.getByLabel('New task').fill('More');
      // the script hangs once its tool runs, and the page soon ends it: only code in the page is quick enough to ask
      // for a change before
      await page.evaluate(() => {
        const buttons = [...document.querySelectorAll('button')];
        const { form } = document.querySelector<HTMLInputElement>('[aria-label="New task"]')!;
        buttons.find(({ textContent }) => textContent === 'Approve')!.click();
        const timer = setInterval(() => {
          if (document.querySelector('[data-tool="hang"][data-state="running"]') === null) return;
          clearInterval(timer);
          form!.requestSubmit();
        }, 20);
      });
      expect(await playground.ended()).toBe('error');
      // the end of the run loses neither the typed text nor the focus
      await expect(page.getByLabel('New task')).toHaveValue('More');
      await expect(page.getByLabel('New task')).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(page.getByLabel('New task')).toHaveCount(0);
      await expect(page.getByRole('button', { name: /^Tasks/ })).toBeFocused();
      await expect(task('task-1')).toBeVisible();
      await expect(task('task-2')).toHaveCount(0);
    },
  );

  test(
    'two hundred of them scroll in their own list, with the current one in view',
    { tag: '@long' },
    async ({ playground }) => {
      const { page, task } = playground;
      await playground.open();
      await withServer(page, async (server) => {
        server.plan([call('startTask', { taskId: 'task-150' }), call('wait')]);
        await playground.write(
          script(`const list = prompt.defDynamicTaskList();
  for (let number = 1; number <= 200; number++) list.edit({ type: 'add', title: \`Number \${number}\` });`),
        );
        await playground.run();
        await expect(task('task-150')).toHaveAttribute('data-status', 'in_progress');
        await expect(task('task-150')).toBeInViewport({ ratio: 0.9 });
        const box = await page.getByRole('list', { name: 'Task list' }).boundingBox();
        expect(box?.height).toBeLessThanOrEqual(280);
        await page.keyboard.press('Escape');
        expect(await playground.ended()).toBe('stopped');
      });
    },
  );
});

test(
  'a composite tool shows each of its calls, including the one that failed',
  { tag: '@long' },
  async ({ playground }) => {
    await playground.open();
    await playground.pick('Many calls in one');
    await playground.run();
    expect(await playground.ended()).toBe('done');
    const calls = playground.tool('notes').locator('[data-sub-call]');
    await expect(calls).toHaveCount(3);
    expect(
      await calls.evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset['state'])),
    ).toEqual(['output-available', 'output-available', 'output-error']);
    await expect(calls.last()).toContainText('There is no diary.md.');
    await expect(calls.first()).toContainText(/\d+ ms/);
  },
);

test('pictures inside a message are shown, those from other addresses are never loaded', async ({
  playground,
}) => {
  const { page } = playground;
  await playground.open();
  await playground.write(
    script(`prompt.defMessage('user', [
    { type: 'text', text: 'What is this?' },
    { type: 'image', image: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==' },
    { type: 'image', image: 'https://evil.example/pixel.png' },
  ]);`),
  );
  await playground.run();
  await playground.ended();
  const message = page.getByLabel('User message').first();
  const picture = message.getByRole('img', { name: /Attached picture/ });
  await expect(picture).toHaveCount(1);
  expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1);
  await expect(message).toContainText('at evil.example, not loaded');
});

test(
  'on a phone, tasks and approvals fit the screen, and their controls are large enough for touch',
  { tag: '@long' },
  async ({ playground }) => {
    const { page, approval } = playground;
    await page.setViewportSize({ width: 390, height: 844 });
    await playground.open();
    await withServer(page, async (server) => {
      server.plan([
        call('send', { to: 'x'.repeat(300) }),
        call('finishTask', { result: 'Sent.' }),
        { text: 'Done.' },
      ]);
      await playground.write(
        script(
          "prompt.defTaskList([{ task: 'Send it' }]);\n  prompt.defTool('send', 'Sends', z.object({ to: z.string() }), () => 'sent', { needsApproval: true });",
        ),
      );
      await playground.run();
      await expect(approval).toBeVisible();
      await expect(playground.tool('send')).toBeInViewport();
      await page.getByTestId('tasks').getByRole('button').first().click();
      const tooSmall = async (): Promise<string[]> => {
        const small: string[] = [];
        const controls = page.getByRole('button').or(page.getByRole('textbox')).or(page.getByRole('radio'));
        for (const control of await controls.all()) {
          const box = await control.boundingBox();
          if (box !== null && box.height < 43.5) small.push((await control.textContent()) ?? '');
        }
        return small;
      };
      expect(await tooSmall()).toEqual([]);
      await approval.getByRole('button', { name: 'Edit' }).click();
      await expect(approval.getByLabel('to', { exact: true })).toBeFocused();
      expect(await tooSmall()).toEqual([]);
      await expect(approval.getByRole('button', { name: 'Approve' })).toBeInViewport({ ratio: 1 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      await approval.getByRole('button', { name: 'Approve' }).click();
      expect(await playground.ended()).toBe('done');
    });
  },
);
