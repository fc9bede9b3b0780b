import { expect, test, withServer, type Playground } from './playground-page.ts';

test.use({ typeScript: true });

const call = (name: string, input: unknown = {}) => ({ toolCall: { name, input } });

/** Runs an example to its end. */
async function play(playground: Playground, title: string): Promise<void> {
  await playground.pick(title);
  await expect(playground.page.getByText('No problems')).toBeVisible();
  await playground.run();
  expect(await playground.ended()).toBe('done');
}

test('a session reaches its end', { tag: '@long' }, async ({ playground }) => {
  const { page } = playground;
  const complete = page.getByTestId('task-complete');
  await playground.open();

  await play(playground, 'A session');
  await expect(complete).toContainText('No bed is empty: peas climb the wall');
  await expect(complete.getByRole('group', { name: 'Output' })).toContainText(
    /under the pear tree\s*spinach/,
  );
  await expect(playground.tool('task_complete')).toHaveCount(0);
});

test(
  'the other examples of sessions and agent calls reach their ends',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    const complete = page.getByTestId('task-complete');
    await playground.open();

    await play(playground, 'A nudge');
    const nudges = page.getByRole('button', { name: /^Nudged: no tool was called/ });
    await expect(nudges).toHaveCount(2);
    await nudges.last().click();
    await expect(page.getByTestId('run').getByText('you must call the task_complete tool')).toBeVisible();
    await expect(complete).toContainText('The line for six in the evening is in the log');

    await play(playground, 'A long conversation');
    const summary = playground.agent('summarize');
    await expect(summary).toContainText('Summary of the conversation so far');
    // between the step before the summary and the one after
    expect(
      await page
        .locator('[data-step], [data-agent]')
        .evaluateAll((rows) =>
          rows.map(({ dataset }: HTMLElement | SVGElement) => dataset['agent'] ?? dataset['step']),
        ),
    ).toEqual(['0', '1', '2', '3', 'summarize', '4', '5', '6']);
    await summary.getByRole('button').first().click();
    await expect(summary.getByLabel('Answer', { exact: true })).toContainText(
      'Pilot, came aboard at Funchal',
    );
    await expect(summary.getByLabel('User message')).toHaveCount(0);
    await expect(complete.getByRole('group', { name: 'Output' })).toContainText(/ashore\s*Bristol/);

    await play(playground, 'A classifier');
    const calls = playground.tool('sortMail').locator('[data-agent=classify]');
    await expect(calls).toHaveCount(4);
    await expect(calls.last()).toContainText('complaint');
    await expect(page.getByLabel('Answer', { exact: true }).last()).toContainText('Urgent is the parcel');

    await play(playground, 'An answer in tags');
    await page.getByRole('button', { name: /^Sent back: the answer cannot be used/ }).click();
    await expect(page.getByTestId('run').getByText('Nearly: <name> is missing.')).toBeVisible();
    await expect(page.getByLabel('Answer', { exact: true }).last()).toContainText(
      '<name>Poste Restante</name>',
    );
    await expect(page.getByLabel('Result')).toContainText(/name\s*Poste Restante/);
  },
);

test(
  'a session that has no turns left, one that suspends itself, and an agent that a tool calls',
  { tag: '@long' },
  async ({ playground }) => {
    const { page, status } = playground;
    await playground.open();
    await withServer(page, async (server) => {
      server.plan([call('dig'), { text: 'Hm.' }]);
      await playground.write(`import { defineSession, tool } from '@cueline/core';
import { z } from 'zod';

const dig = (): string => { throw new Error('There is rock.'); };
export default defineSession('test', {
  systemPrompt: 'You dig.',
  maxTurns: 2,
  tools: [tool('dig', 'Digs', z.object({}), dig)],
});
`);
      await playground.run();
      expect(await playground.ended()).toBe('error');
      await expect(status).toHaveText('Out of turns');
      await expect(page.getByTestId('run-error')).toContainText('The session ran out of turns');
      await expect(page.getByTestId('problems')).toContainText('4:');
      await expect(page.getByTestId('problems')).toContainText('There is rock.');

      server.plan([call('ask', { question: 'Which?' })]);
      await playground.write(`import { defineSession, suspend, tool } from '@cueline/core';
import { z } from 'zod';

export default defineSession('test', {
  systemPrompt: 'You ask.',
  tools: [tool('ask', 'Asks', z.object({ question: z.string() }), async ({ question }) => suspend({ question }))],
});
`);
      await playground.run();
      await expect(status).toHaveText('Suspended');
      await expect(playground.tool('ask')).toContainText('Suspended');
      await expect(page.getByText('The run is suspended: a tool call waits for an answer.')).toBeVisible();
      await expect(page.getByTestId('run-button')).toBeVisible();

      server.plan([call('edit'), { text: 'Better!' }, { text: '<text>Better.</text>' }, { text: 'Done.' }]);
      await playground.write(`import { defineAgent, definePrompt, tags } from '@cueline/core';
import { z } from 'zod';

const editor = defineAgent({
  name: 'editor',
  instructions: 'You edit.',
  model: 'anthropic:claude-sonnet-4-5',
  output: tags(['text']),
});
export default definePrompt('test', async (prompt) => {
  prompt.defTool('edit', 'Edits', z.object({}), async (_args, context) => {
    const { output, attempts } = await editor.call('Edit it.', { context });
    return { text: output.text, attempts };
  });
  prompt.$\`Go.\`;
});
`);
      await playground.run();
      expect(await playground.ended()).toBe('done');
      const agent = playground.tool('edit').locator('[data-agent=editor]');
      await expect(agent).toHaveAttribute('data-state', 'done');
      await expect(agent).toContainText('2 steps');
      await expect(playground.tool('edit')).toContainText('attempts 2');
      // the user has chosen another model than the script names
      const models = server.calls.map(({ text }) => (JSON.parse(text) as { model: string }).model);
      expect(new Set(models)).toEqual(new Set(['test-model']));
    });
  },
);
