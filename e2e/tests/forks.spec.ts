import { expect, onPage, test, withServer } from './playground-page.ts';

const script = `import { definePrompt } from '@cueline/core';
import { z } from 'zod';

export default definePrompt('dice', async (prompt) => {
  prompt.defTool('roll', 'Rolls a die', z.object({ die: z.string() }), ({ die }) => die + ' ' + Math.random());
  prompt.$\`Roll two dice.\`;
});
`;

const roll = (die: string) => ({ toolCall: { name: 'roll', input: { die } } });

test('a run continues from one of its steps, the first run stays, and the fork can be shared', async ({
  playground,
  browser,
}) => {
  const { page } = playground;
  await playground.open();
  await playground.write(script);
  await withServer(page, async (server) => {
    server.plan([roll('red'), roll('blue'), { text: 'The first answer.' }, { text: 'The second answer.' }]);
    await playground.run();
    expect(await playground.ended()).toBe('done');
    const results = await playground.tool('roll').allTextContents();
    await page.getByRole('button', { name: 'Actions of step 3' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Run again from step 3' }).press('Enter');
    await expect(page.getByLabel('Answer', { exact: true })).toHaveText('The second answer.');
    await expect(page.getByRole('region', { name: 'Run', exact: true })).toBeFocused();
    expect(await playground.ended()).toBe('done');
    // the dice are unchanged, and the model was called only for the last step
    expect(await playground.tool('roll').allTextContents()).toEqual(results);
    expect(server.calls).toHaveLength(4);

    await page.getByTestId('share').click();
    await page.getByRole('radio', { name: 'Script and run' }).click();
    const link = await page.getByLabel('Link to this run').inputValue();
    await page.keyboard.press('Escape');
    const other = onPage(await browser.newPage({ baseURL: new URL(link).origin }));
    await other.open(new URL(link).hash);
    await expect(other.page.getByTestId('shared-run')).toContainText('A shared run');
    await expect(other.page.getByLabel('Answer', { exact: true })).toHaveText('The second answer.');
    await other.page.close();

    const tree = page.getByRole('navigation', { name: 'Runs and their forks' });
    await expect(tree.getByRole('button')).toHaveText([/^Run 1/, /^Run 2 · from step 3/]);
    await tree.getByRole('button', { name: /^Run 2/ }).focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect(page.getByLabel('Answer', { exact: true })).toHaveText('The first answer.');
    await expect(tree.locator('[aria-current]')).toHaveText(/^Run 1/);
    expect(server.calls).toHaveLength(4);
  });
});

test('a run whose model call failed continues from that step', { tag: '@long' }, async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.write(script);
  await withServer(page, async (server) => {
    server.plan([roll('red'), { text: 'The dice have fallen.' }]);
    let calls = 0;
    await page.route('**/chat/completions', (route) => {
      if (route.request().method() === 'POST') calls += 1;
      if (calls !== 2) return route.fallback();
      const headers = { 'access-control-allow-origin': '*', 'content-type': 'application/json' };
      return route.fulfill({ status: 400, headers, body: '{"error":{"message":"Not now."}}' });
    });
    await playground.run();
    expect(await playground.ended()).toBe('error');
    const result = await playground.tool('roll').textContent();
    const summary = page.getByRole('group', { name: 'Summary of the run' });
    await summary.getByRole('button', { name: 'Run again from step 2' }).click();
    await expect(page.getByLabel('Answer', { exact: true })).toHaveText('The dice have fallen.');
    expect(await playground.tool('roll').textContent()).toBe(result);
    expect(server.calls).toHaveLength(2);
  });
});

test(
  'a tool’s result and an answer can be edited, and only what follows runs',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    await playground.write(script);
    await withServer(page, async (server) => {
      server.plan([roll('red')]);
      await playground.run();
      await playground.ended();
      await playground.tool('roll').getByRole('button').first().click();
      await page.getByRole('button', { name: 'Edit result…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('radio', { name: 'JSON' }).click();
      await expect(dialog.getByLabel('Result as JSON')).toHaveValue(/^red 0\./);
      await dialog.getByRole('button', { name: 'Continue with this' }).click();
      await expect(dialog.getByRole('alert')).toContainText('choose Text');
      await dialog.getByLabel('Result as JSON').fill('{"eyes":6}');
      // a click beside the dialog does not discard what was typed
      await page.mouse.click(5, 5);
      await dialog.getByRole('button', { name: 'Continue with this' }).click();
      await expect(page.getByLabel('Answer', { exact: true })).toContainText('"eyes":6');
      await expect(playground.tool('roll')).toContainText('Edited');
      expect(server.calls).toHaveLength(3);

      await playground.ended();
      await page.getByRole('button', { name: 'Actions of step 2' }).press('Enter');
      await page.getByRole('menuitem', { name: 'Edit answer…' }).press('Enter');
      await page.getByLabel('What the model has written').fill('Six, as always.');
      await page.keyboard.press('ControlOrMeta+Enter');
      await expect(page.getByLabel('Answer', { exact: true })).toHaveText('Six, as always.');
      await expect(page.getByText('answer edited', { exact: true })).toBeVisible();
      expect(server.calls).toHaveLength(3);
      await page.getByLabel('Reply', { exact: true }).fill('Really?');
      await page.getByLabel('Reply', { exact: true }).press('ControlOrMeta+Enter');
      await expect(page.getByLabel('User message')).toHaveCount(2);
      expect(await playground.ended()).toBe('done');
      expect(JSON.stringify(server.calls[3])).toContain('Six, as always.');

      // the history tells the three runs of the script apart
      await page.getByRole('button', { name: 'History' }).click();
      await expect(page.getByTestId('stored-run')).toContainText([
        'From step 3 of “dice”, answer edited',
        'From step 2 of “dice”, result edited',
        'Done',
      ]);
    });
  },
);

test('a run continues from a step with an edited script', { tag: '@long' }, async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.write(script);
  await withServer(page, async (server) => {
    server.plan([roll('red'), { text: 'One.' }, { text: 'Two.' }]);
    await playground.run();
    await playground.ended();
    const result = await playground.tool('roll').textContent();
    await playground.write(script.replace('Roll two dice.', 'Roll them in verse.'));
    await page.getByRole('button', { name: 'Actions of step 2' }).click();
    await expect(page.getByRole('menuitem', { name: /with this run’s script$/ })).toBeVisible();
    await page.getByRole('menuitem', { name: 'Run again from step 2 with the script in the editor' }).click();
    await expect(page.getByLabel('Answer', { exact: true })).toHaveText('Two.');
    expect(await playground.tool('roll').textContent()).toBe(result);
    expect(JSON.stringify(server.calls[2])).toContain('Roll them in verse.');
    await expect(page.getByTestId('forks')).toContainText('Run 2 · from step 2 · script edited');
  });
});

test(
  'a run continues from a step of an agent, also with another result in it',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    await playground.write(`import { definePrompt } from '@cueline/core';
import { z } from 'zod';

export default definePrompt('table', async (prompt) => {
  prompt.defAgent('player', 'Plays', z.object({}), async (_args, agent) => {
    agent.defTool('roll', 'Rolls a die', z.object({ die: z.string() }), ({ die }) => die + ' ' + Math.random());
    agent.$\`Roll two dice.\`;
  });
  prompt.$\`Let the player play.\`;
});
`);
    await withServer(page, async (server) => {
      const play = { toolCall: { name: 'player', input: {} } };
      const first = [{ text: 'Two rolls.' }, { text: 'The first game.' }];
      const second = [{ text: 'Two lucky rolls.' }, { text: 'The second game.' }];
      const third = [{ text: 'A cheat.' }, { text: 'The third game.' }];
      server.plan([play, roll('red'), roll('blue'), ...first, ...second, ...third]);
      await playground.run();
      expect(await playground.ended()).toBe('done');
      const player = playground.agent('player');
      const unfold = player.getByRole('button').first();
      await unfold.click();
      const results = await playground.tool('roll').allTextContents();
      await player.getByRole('button', { name: 'Actions of step 3' }).press('Enter');
      await page.getByRole('menuitem', { name: 'Run again from step 3' }).press('Enter');
      await expect(page.getByLabel('Answer', { exact: true }).last()).toHaveText('The second game.');
      expect(await playground.ended()).toBe('done');
      await expect(page.getByTestId('forks')).toContainText('Run 2 · from step 3 of player');
      await unfold.click();
      // the dice are unchanged, and the model was called for the last step of the agent, then for that of the run
      expect(await playground.tool('roll').allTextContents()).toEqual(results);
      expect(server.calls).toHaveLength(7);

      const last = playground.tool('roll').last();
      await last.getByRole('button').first().click();
      await last.getByRole('button', { name: 'Edit result…' }).click();
      await page.getByLabel('Result as text').fill('blue 6');
      await page.getByRole('button', { name: 'Continue with this' }).click();
      await expect(page.getByLabel('Answer', { exact: true }).last()).toHaveText('The third game.');
      expect(server.calls).toHaveLength(9);
      expect(JSON.stringify(server.calls[7])).toContain('blue 6');
      await expect(page.getByTestId('forks')).toContainText('Run 3 · result edited in step 2 of player');
    });
  },
);
