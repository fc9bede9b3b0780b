// Agents, section by section: systems that are put together from agents.
import { definePrompt, runPrompt, tool } from '@cueline/core';
import { createAgentRegistry, defineAgent, tags } from '@cueline/core/agents';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call } from '../support.ts';

describe('Implementing custom agents', () => {
  const library = tool(
    'library',
    'Ask the library',
    z.object({ about: z.string() }),
    ({ about }) => `3 on ${about}`,
  );
  const finder = defineAgent({
    name: 'finder',
    instructions: 'You find facts.',
    tools: [library],
    output(text) {
      const facts = text.split('\n').filter((line) => line.startsWith('- '));
      if (facts.length === 0) throw new Error('there is no line that begins with "- "');
      return facts;
    },
  });
  const writer = defineAgent({
    name: 'writer',
    instructions: 'You write from facts.',
    output: tags(['article']),
  });
  const registry = createAgentRegistry();
  registry.register(finder);
  registry.register(writer);

  const facts: ScriptedTurn[] = [
    [call('library', { about: 'tides' })],
    'They are high.',
    'Here:\n- The moon pulls.\n- The sun, too.',
  ];
  const article = '<article>The moon and the sun pull.</article>';

  test('a system is a prompt whose tools are agents, all in one log', async () => {
    const newsroom = definePrompt('newsroom', (prompt, topic: string) => {
      prompt.defTool('find', 'Finds facts', z.object({}), async (_, context) => {
        const { output } = await registry.get('finder').call(topic, { context });
        return output;
      });
      prompt.defAgent('edit', 'Edits', z.object({}), async (_, own, context) => {
        const { output } = await writer.call(`Write about ${topic}.`, { context });
        own.$`Edit this: ${output.article}`;
      });
      prompt.$`Make an article on ${topic}.`;
    });
    const model = scriptedModel([
      [call('find', {}, 'f')],
      ...facts,
      [call('edit', {}, 'e')],
      article,
      'The moon and the sun pull, you know.',
      'Done.',
    ]);
    const { run } = await runPrompt(newsroom, { model, input: 'tides' });
    const state = await run.finished;
    expect(state).toMatchObject({
      status: 'done',
      text: 'Done.',
      toolCalls: [
        { toolName: 'find', output: ['- The moon pulls.', '- The sun, too.'] },
        { toolName: 'edit', output: 'The moon and the sun pull, you know.' },
      ],
    });
    expect(state.agents.map(({ name, path, status }) => [name, path, status])).toEqual([
      ['finder', 'f', 'done'],
      ['writer', 'e', 'done'],
      ['edit', 'e~2', 'done'],
    ]);
  });
});
