import { expect, test, withServer } from './playground-page.ts';
import { call, script } from './slow-tool.ts';
import { storedData } from './stored-data.ts';

test.describe('agents', () => {
  test(
    'are shown inside the calls that they answer, and fold once they are done',
    { tag: '@long' },
    async ({ playground }) => {
      const { page } = playground;
      await playground.open();
      await playground.pick('Researchers and a writer');
      await playground.run();
      const researchers = playground.agent('researcher');
      await expect(researchers).toHaveCount(2);
      expect(await playground.ended()).toBe('done');
      await expect(researchers.first()).toHaveAttribute('data-state', 'done');
      await expect(researchers.first()).toContainText('2 steps');
      await expect(page.locator('[data-tool=searchArchive]')).toHaveCount(0);
      await researchers.last().getByRole('button').first().click();
      await expect(researchers.last()).toContainText('Look up ferries.');
      await expect(researchers.last().locator('[data-tool=searchArchive]')).toHaveAttribute(
        'data-state',
        'output-available',
      );
      await expect(researchers.last().getByLabel('Answer', { exact: true })).toContainText('"sure": true');
    },
  );

  test('work side by side, and stop with the run', { tag: '@long' }, async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    await withServer(page, async (server) => {
      server.plan([[call('helper', { to: 'a' }), call('helper', { to: 'b' })], call('dig'), call('dig')]);
      await playground.write(
        script(`prompt.defAgent('helper', 'Helps', z.object({ to: z.string() }), async ({ to }, agent) => {
    agent.defTool('dig', 'Digs', z.object({}), () => new Promise(() => {}));
    agent.$\`Help \${to}.\`;
  });`),
      );
      await playground.run();
      const helpers = playground.agent('helper');
      for (const number of [0, 1]) {
        await expect(helpers.nth(number).locator('[data-tool=dig]')).toHaveAttribute('data-state', 'running');
      }
      await page.keyboard.press('Escape');
      expect(await playground.ended()).toBe('stopped');
      for (const helper of await helpers.all()) await expect(helper).toHaveAttribute('data-state', 'stopped');
      await helpers.first().getByRole('button').first().click();
      await expect(helpers.first().locator('[data-tool=dig]')).toHaveAttribute('data-state', 'interrupted');
      await expect(page.getByText('You stopped this run.')).toHaveCount(1);
    });
  });

  test(
    'have tasks of their own, which the user can change, and ask for approval',
    { tag: '@long' },
    async ({ playground }) => {
      const { page, approval } = playground;
      await playground.open();
      await withServer(page, async (server) => {
        server.plan([
          call('helper'),
          call('slow'),
          call('finishTask', { result: 'Sent.' }),
          call('finishTask', { result: 'More.' }),
          { text: 'Helped.' },
          { text: 'Done.' },
        ]);
        await playground.write(
          script(`prompt.defAgent('helper', 'Helps', z.object({}), async (_args, agent) => {
    agent.defTool('slow', 'Sends', z.object({}), () => 'sent', { needsApproval: true });
    agent.defTaskList([{ task: 'Send it' }]);
    agent.$\`Help.\`;
  });`),
        );
        await playground.run();
        await expect(approval).toContainText('helper: May slow run?');
        const helper = playground.agent('helper');
        await expect(helper.getByTestId('task-progress')).toHaveText('0 of 1');
        await helper.getByRole('button', { name: 'Add a task' }).click();
        await page.getByLabel('New task').fill('One more');
        await page.keyboard.press('Enter');
        await expect(helper.getByTestId('task-progress')).toHaveText('0 of 2');
        await approval.getByRole('button', { name: 'Approve' }).click();
        expect(await playground.ended()).toBe('done');
        // it stays unfolded, because the focus was in it
        await expect(helper.getByTestId('task-progress')).toHaveText('2 of 2');
      });
    },
  );

  test(
    'continue after a reload during their calls, with the results that they had',
    { tag: '@long' },
    async ({ playground }) => {
      const { page } = playground;
      await playground.open();
      await withServer(page, async (server) => {
        server.plan([
          call('helper'),
          [call('roll'), call('send')],
          { text: 'The die has fallen.' },
          { text: 'The helper has rolled.' },
        ]);
        await playground.write(
          script(`prompt.defAgent('helper', 'Helps', z.object({}), async (_args, agent) => {
    agent.defTool('roll', 'Rolls a die', z.object({}), () => 'eyes ' + Math.random());
    agent.defTool('send', 'Sends a letter', z.object({}), () => new Promise(() => {}));
    agent.$\`Roll.\`;
  });`),
        );
        await playground.run();
        const roll = playground.tool('roll');
        await expect(roll).toHaveAttribute('data-state', 'output-available');
        const result = await roll.textContent();
        await expect.poll(() => storedData(page)).toContain('eyes ');
        await page.reload();
        await expect(page.getByTestId('interrupted')).toBeVisible();
        await page.getByRole('button', { name: 'Continue' }).click();
        expect(await playground.ended()).toBe('done');
        await playground.agent('helper').getByRole('button').first().click();
        expect(await roll.textContent()).toBe(result);
        await expect(playground.tool('send')).toHaveAttribute('data-state', 'output-error');
        expect(server.calls).toHaveLength(4);
        expect(JSON.stringify(server.calls[2])).toContain('This call was interrupted before its end.');
      });
    },
  );
});
