import { runPrompt, type PromptDefinition, type ApprovalResponse, type RunState } from '@cueline/core';
import { demoModel } from '@cueline/core/testing';
import type { LanguageModel } from 'ai';
import { describe, expect, test } from 'vitest';
import { examples, exampleGroups, isUnedited } from '../../src/examples/index.ts';
import ownPlan from '../../src/examples/own-plan.ts';
import pictures from '../../src/examples/pictures.json' with { type: 'json' };
import { scriptedAnswersFor } from '../../src/examples/scripted-answers-for.ts';
import { scriptedAnswers } from '../../src/examples/scripted-answers.ts';
import { scriptedModelOf } from '../../src/model/scripted-model.ts';
import { answerAll } from '../sessions.ts';

/** Runs an example's script to its end. A user gives the same answer to all requests. */
async function play(id: string, model: LanguageModel, answer?: ApprovalResponse): Promise<RunState> {
  const module = (await import(`../../src/examples/${id}.ts`)) as { default: PromptDefinition };
  const { run } = await runPrompt(module.default, { model });
  answerAll(run, answer);
  return run.finished;
}

const ids = examples.map(({ id }) => id);
const modelCalls = ({ steps, agents }: RunState): number =>
  agents.reduce((sum, agent) => sum + agent.steps.length, steps.length);
/** The failures that some examples demonstrate. */
const meantToFail: Record<string, string> = { 'failing-tool': 'The till has locked the list' };

describe('the scripted answers', () => {
  test.each(ids)('fit %s, and every answer is used', async (id) => {
    const state = await play(id, scriptedModelOf(scriptedAnswers[id]!, { hurried: true }));
    expect(state).toMatchObject({ status: 'done', warnings: [] });
    expect(state.text).not.toContain('simulated');
    // the answer to a refusal is not used where everything is approved
    const otherWay = id === 'ask-first' ? 1 : 0;
    expect(modelCalls(state)).toBe(scriptedAnswers[id]!.length - otherWay);
    const failed = state.toolCalls.filter((call) => call.state !== 'output-available');
    expect(failed.map((call) => call.errorText)).toEqual(
      id in meantToFail ? [expect.stringContaining(meantToFail[id]!)] : [],
    );
    for (const task of state.tasks) expect(task.status).toBe('completed');
  });

  test('a refusal gets a scripted answer', async () => {
    const model = scriptedModelOf(scriptedAnswers['ask-first']!, { hurried: true });
    const state = await play('ask-first', model, { approved: false, reason: 'too early' });
    expect(state).toMatchObject({ status: 'done', text: expect.stringContaining('**not** written') });
    expect(state.toolCalls.at(-1)?.errorText).toBe(
      'sendMail was not run, because the user did not approve it: too early.',
    );
  });

  test('two agents work side by side', async () => {
    const { agents, toolCalls } = await play(
      'newsroom',
      scriptedModelOf(scriptedAnswers['newsroom']!, { hurried: true }),
    );
    expect(agents.map(({ name, output }) => [name, output])).toEqual([
      ['researcher', { facts: [expect.stringContaining('Bugio')], sure: true }],
      ['researcher', { facts: [expect.stringContaining('Ferries')], sure: true }],
      ['writer', undefined],
    ]);
    const [first, second] = toolCalls;
    expect(second!.startedAt).toBeLessThan(first!.finishedAt!);
  });
});

describe('sessions and agent calls', () => {
  const playAnswers = (id: string) => play(id, scriptedModelOf(scriptedAnswers[id]!, { hurried: true }));
  const feedback = ({ steps }: RunState) => steps.map(({ steered = [] }) => steered.map(({ text }) => text));

  test('a session continues until its task is complete', async () => {
    expect(await playAnswers('kitchen-garden')).toMatchObject({
      status: 'done',
      result: { result: { sown: { 'by the wall': 'peas', 'under the pear tree': 'spinach' } } },
    });
  });

  test('a model that calls no tool is reminded, and then warned', async () => {
    const state = await playAnswers('weather-log');
    expect(feedback(state)).toEqual([
      [],
      [],
      ['Please continue.'],
      [expect.stringContaining('you must call the task_complete tool')],
      [],
    ]);
  });

  test('a session that is too long continues with a summary', async () => {
    const { steps, agents } = await playAnswers('ships-cat');
    expect(agents.map(({ name, status }) => [name, status])).toEqual([['summarize', 'done']]);
    const said = steps.map(({ request }) => JSON.stringify(request.messages));
    expect(said.map((text) => text.includes('Loaded cork'))).toEqual([
      false,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(said[4]).toContain('Previous conversation summary:');
  });

  test('an answer without one of its tags is sent back', async () => {
    const state = await playAnswers('cafe-name');
    expect(feedback(state)).toEqual([[], [expect.stringMatching(/^Nearly: <name> is missing/)]]);
    expect(state).toMatchObject({
      result: { name: 'Poste Restante', why: expect.stringMatching(/^Letters/) },
    });
  });

  test('a classifier is called for each mail, all at once', async () => {
    const { agents, toolCalls } = await playAnswers('mail-desk');
    expect(agents.map(({ name, output }) => [name, output])).toEqual([
      ['classify', 'question'],
      ['classify', 'praise'],
      ['classify', 'question'],
      ['classify', 'complaint'],
    ]);
    expect(toolCalls[0]?.output).toMatchObject([
      { tray: 'question' },
      { tray: 'praise' },
      { tray: 'question' },
      { tray: 'complaint' },
    ]);
  });
});

describe('the rule-based demo model', () => {
  test.each(ids)('finishes %s in a few steps', async (id) => {
    const state = await play(id, demoModel({ pace: 0 }));
    expect(state).toMatchObject({ status: 'done', warnings: [] });
    expect(modelCalls(state)).toBeLessThanOrEqual(12);
    expect(state.text).not.toBe('');
    expect(new Set(state.toolCalls.map(({ toolCallId }) => toolCallId)).size).toBe(state.toolCalls.length);
    for (const task of state.tasks) expect(task.status).toBe('completed');
    for (const agent of state.agents) expect(agent.status).toBe('done');
  });

  test('finishes a scripted example in which the user has added a task', async () => {
    const model = scriptedModelOf(scriptedAnswers['own-plan']!, { hurried: true });
    const { run } = await runPrompt(ownPlan, { model });
    run.listen((event) => {
      if (event.type === 'task-add' && event.task.id === 'task-3') {
        queueMicrotask(() => void run.edit({ type: 'add', title: 'Set the table' }));
      }
    });
    const state = await run.finished;
    expect(state.status).toBe('done');
    expect(state.tasks.map(({ title, origin, status }) => [title, origin, status]).at(-1)).toEqual([
      'Set the table',
      'user',
      'completed',
    ]);
  });
});

test('only an unedited example counts as unedited, and it has its scripted answers', () => {
  const { source } = examples[0]!;
  expect(scriptedAnswersFor(source)).toBe(scriptedAnswers['weather']);
  expect(scriptedAnswersFor(`\n${source}\n`)).toBe(scriptedAnswers['weather']);
  expect(isUnedited(source.replace('Lisbon', 'Oslo'))).toBe(false);
});

test('each example is a short script with a default export, a description and scripted answers', () => {
  expect(new Set(ids).size).toBe(17);
  expect(Object.keys(scriptedAnswers).toSorted()).toEqual(ids.toSorted());
  for (const { examples: some } of exampleGroups) expect(some.length).toBeLessThan(6);
  for (const { source, description } of examples) {
    expect(source).toMatch(/^export default (?:definePrompt\(|defineSession\(|\w+\.prompt\()/m);
    expect(source.split('\n').length).toBeLessThan(60);
    expect(description.length).toBeLessThan(60);
  }
});

test('every example has a picture of its run, which shows its tools and agents', () => {
  expect(Object.keys(pictures).toSorted()).toEqual(ids.toSorted());
  const kinds = (id: keyof typeof pictures) => new Set(pictures[id].map(([kind]) => kind));
  expect(kinds('newsroom')).toEqual(new Set(['model', 'agent']));
  expect(kinds('weather')).toEqual(new Set(['model', 'tool']));
  for (const bars of Object.values(pictures)) {
    for (const [, , start, end] of bars) expect(Number(start)).toBeLessThan(Number(end));
  }
});
