import { definePrompt, tool } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { agentsModule, coreModule } from '../../src/sandbox/worker/core-module.ts';
import { noReports } from './no-reports.ts';

/**
 * The modules as a script imports them, with a page's model that gives these answers, and the reports of its watcher.
 */
function module(...answers: Parameters<typeof scriptedModel>[0]) {
  const page = scriptedModel(answers, { provider: 'page' });
  const heard: string[] = [];
  const agents = agentsModule(page, {
    definitions: noReports,
    settle: async () => void heard.push('settle'),
    onError: (error) => void heard.push((error as Error).message),
  });
  return { core: { ...agents, ...coreModule(page, { definitions: noReports }) }, page, heard };
}

const own = () => scriptedModel(['Own.'], { provider: 'own' });
const call = (name: string) => ({ toolCall: { name, input: {} } });

test('a model named by the script is the model of the page', async () => {
  const { core, page } = module('One.', [call('task_complete')], 'Two.', 'yes', 'yes', 'no');
  const started = await core.runPrompt((prompt) => prompt.$`Go.`, { model: 'openai:gpt-4o' });
  expect((await started.run.finished).model).toBe('page:scripted');
  const session = core.runAgentSession(
    { provider: 'openai', model: 'gpt-4o', apiKey: 'sk-not-a-key' },
    { systemPrompt: 'You work.', maxTurns: 1 },
  );
  expect((await session).completionReason).toBe('max_turns');
  const agent = core.defineAgent({ name: 'a', instructions: 'You answer.', model: 'openai:gpt-4o' });
  expect((await agent.call('Hi', { model: 'mistral:large' })).output).toBe('Two.');
  expect((await agent.classify('Hi', ['yes', 'no'])).label).toBe('yes');
  expect((await core.classifyBinary('Hi?', { model: 'openai:gpt-4o' })).value).toBe(true);
  expect((await core.classify('Hi', ['yes', 'no'], {})).label).toBe('no');
  expect(page.calls).toHaveLength(6);
});

test('a model object of the script is used as it is', async () => {
  const { core, page } = module();
  const { run } = await core.runPrompt((prompt) => prompt.$`Go.`, { model: own() });
  expect((await run.finished).model).toBe('own:scripted');
  const agent = core.defineAgent({ name: 'a', instructions: 'You answer.', model: own() });
  expect((await agent.call('Hi')).output).toBe('Own.');
  const other = core.defineAgent({ name: 'b', instructions: 'You answer.' });
  expect((await other.call('Hi', { model: own() })).output).toBe('Own.');
  expect(page.calls).toEqual([]);
});

test('an agent that a tool calls uses its run’s model, and its tools are watched', async () => {
  const { core, page, heard } = module();
  const dig = tool('dig', 'Digs', z.object({}), () => {
    throw new Error('rock');
  });
  const agent = core.defineAgent({
    name: 'a',
    instructions: 'You dig.',
    model: 'openai:gpt-4o',
    tools: [dig],
  });
  const prompt = definePrompt('test', (own) => {
    own.defTool(
      'ask',
      'Asks',
      z.object({}),
      async (_args, context) => (await agent.call('Dig.', { context })).output,
    );
    own.$`Go.`;
  });
  const model = scriptedModel([[call('ask')], [call('dig')], 'There is rock.', 'Rock.'], { provider: 'run' });
  const { run } = await core.runPrompt(prompt, { model });
  expect(await run.finished).toMatchObject({
    status: 'done',
    text: 'Rock.',
    agents: [{ name: 'a', model: 'run:scripted', status: 'done' }],
  });
  expect(page.calls).toEqual([]);
  expect(heard).toEqual(['settle', 'rock']);
});
