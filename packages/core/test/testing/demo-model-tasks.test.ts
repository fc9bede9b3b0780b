import { runPrompt, type RunHandle, type PromptSource, type RunEvent } from '@cueline/core';
import { demoModel } from '@cueline/core/testing';
import { tool } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { go } from '../support.ts';
import { ask, weather } from './ask-demo-model.ts';

describe('demoModel with a task list', () => {
  /** A static task list as scripts define it, with the replies that its finishTask gives. */
  function taskList(tasks: readonly { text: string; check: (result: string) => string | undefined }[]) {
    let at = 0;
    const results: string[] = [];
    const finishTask = tool({
      inputSchema: z.object({ result: z.string() }),
      execute: async ({ result }) => {
        const feedback = tasks[at]?.check(result);
        if (feedback !== undefined) {
          return `Validation failed: ${feedback}\n\nPlease review the task and provide a corrected result.`;
        }
        results.push(result);
        at += 1;
        const next = tasks[at];
        return next === undefined
          ? '✓ All tasks completed successfully! The task list is complete.'
          : `✓ Task completed successfully!\n\nNext task: ${next.text}`;
      },
    });
    const startTask = tool({ inputSchema: z.object({}), execute: async () => tasks[at]?.text ?? '' });
    return { tools: { weather, startTask, finishTask }, results };
  }

  test('works through it with the other tools, and reports it', async () => {
    const { tools, results } = taskList([
      { text: 'Look at the weather in Faro', check: () => undefined },
      { text: 'Write a line', check: () => undefined },
    ]);
    const { calls, text } = await ask({ prompt: 'Do the tasks.', tools });
    expect(calls.map((call) => call.split(' ')[0])).toEqual([
      'startTask',
      'weather',
      'finishTask',
      'startTask',
      'weather',
      'finishTask',
    ]);
    expect(results[0]).toContain('temperature 21');
    expect(text).toContain('2 tasks are done.');
  });

  test.each<[string, (result: string) => boolean]>([
    ['The answer must contain "Paris".', (result) => result.includes('Paris')],
    ['Answer with exactly `blue`.', (result) => result === 'blue'],
    ['Must be one of: red, green.', (result) => result === 'red'],
    ['Write at least 40 words.', (result) => result.split(/\s+/).length >= 40],
    ['More than 30 words, please.', (result) => result.split(/\s+/).length > 30],
    ['No more than 3 words.', (result) => result.split(/\s+/).length <= 3],
    ['Use fewer than 4 words.', (result) => result.split(/\s+/).length < 4],
    ['At least 300 characters.', (result) => result.length >= 300],
    ['Must be shorter than 20 characters.', (result) => result.length < 20],
    ['Expected a number between 10 and 20.', (result) => Number(result) >= 10 && Number(result) <= 20],
    ['The result must be 42.', (result) => result.includes('42')],
    ['Must start with "Dear Ada".', (result) => result.startsWith('Dear Ada')],
    ['Must be valid JSON.', (result) => typeof JSON.parse(result) === 'object'],
  ])('follows the feedback: %s', async (feedback, accepts) => {
    const check = (result: string): string | undefined => {
      try {
        return accepts(result) ? undefined : feedback;
      } catch {
        return feedback;
      }
    };
    const { tools, results } = taskList([{ text: 'Describe the weather in a few plain words', check }]);
    await ask({ prompt: 'Do it.', tools });
    expect(results).toHaveLength(1);
  });

  test('stops with a sentence after four attempts', async () => {
    const { tools, results } = taskList([{ text: 'Impossible', check: () => 'still not right' }]);
    const { calls, text } = await ask({ tools });
    expect(calls.filter((call) => call.startsWith('finishTask'))).toHaveLength(4);
    expect(results).toEqual([]);
    expect(text).toBe('I could not finish this task in 4 attempts. What is still missing: still not right');
  });

  test('says so if no task is left', async () => {
    const finishTask = tool({
      inputSchema: z.object({ result: z.string() }),
      execute: async () => 'There is no current task.',
    });
    const { calls, text } = await ask({ prompt: 'Go on.', tools: { finishTask } });
    expect(calls).toHaveLength(1);
    expect(text).toBe('There is nothing left to do for “Go on.”.');
  });

  test('plans its own list if it has the task tools', async () => {
    const states = new Map<string, string>();
    const reply = (text: string) => async () => text;
    const { calls, text } = await ask({
      prompt: 'Research Lisbon. Then write a summary.',
      tools: {
        weather,
        createTask: tool({
          inputSchema: z.object({ description: z.string() }),
          execute: async () => {
            const taskId = `task-${states.size + 1}`;
            states.set(taskId, 'pending');
            return { taskId, status: 'pending' };
          },
        }),
        startTask: tool({
          inputSchema: z.object({ taskId: z.string() }),
          execute: async ({ taskId }) => states.set(taskId, 'in_progress').size,
        }),
        completeTask: tool({
          inputSchema: z.object({ taskId: z.string(), result: z.string() }),
          execute: async ({ taskId }) => {
            states.set(taskId, 'completed');
            return `Task completed: ${taskId}`;
          },
        }),
        getTaskList: tool({ inputSchema: z.object({}), execute: reply('') }),
        deleteTask: tool({ inputSchema: z.object({ taskId: z.string() }), execute: reply('') }),
      },
    });
    expect(calls.map((call) => call.split(' ')[0])).toEqual([
      'createTask',
      'createTask',
      'startTask',
      'weather',
      'completeTask',
      'startTask',
      'completeTask',
    ]);
    expect([...states]).toEqual([
      ['task-1', 'completed'],
      ['task-2', 'completed'],
    ]);
    expect(text).toContain('2 tasks are done.');
  });
});

describe('demoModel on the runner', () => {
  /** A whole run on the demo model: its calls, and its state at the end. */
  async function run(source: PromptSource, on: (live: RunHandle, event: RunEvent) => void = () => {}) {
    const { run: live } = await runPrompt(source, { model: demoModel({ pace: 0 }) });
    live.listen((event) => on(live, event));
    const state = await live.finished;
    const tasks = state.tasks.map(({ title, status }) => `${title}: ${status}`);
    return { state, tasks, calls: state.toolCalls.map(({ toolName }) => toolName) };
  }

  test('works through a list whose window hides earlier tasks', async () => {
    const { state, tasks, calls } = await run((prompt) => {
      prompt.defTool('clock', 'The time', z.object({}), () => 'noon');
      prompt.defTaskList([
        { task: 'See what the clock says' },
        { task: 'Write a line', validation: (line) => (line.includes('tea') ? undefined : 'Say "tea".') },
        {
          task: 'Weigh the parcel',
          extend: (task) => task.defTool('scale', 'Weighs', z.object({}), () => ({ grams: 250 })),
        },
      ]);
      prompt.$`Do what is to be done.`;
    });
    expect(state.status).toBe('done');
    expect(tasks).toEqual([
      'See what the clock says: completed',
      'Write a line: completed',
      'Weigh the parcel: completed',
    ]);
    // the clock is looked at once, the line is written twice, and the scale is there for its task
    expect(calls.join(' ')).toBe(
      'startTask clock finishTask startTask finishTask finishTask startTask scale finishTask',
    );
    expect(state.tasks.map(({ result }) => result)).toEqual([
      'See what the clock says: clock gave noon.',
      'Write a line: done. tea',
      'Weigh the parcel: scale gave grams 250.',
    ]);
    expect(state.text).toMatchInlineSnapshot(`
      "3 tasks are done.

      - See what the clock says: clock gave noon.
      - Write a line: done. tea
      - Weigh the parcel: scale gave grams 250."
    `);
  });

  test('keeps its own list, with tasks that a user adds and removes meanwhile', async () => {
    const { state, tasks } = await run(
      (prompt) => {
        prompt.defDynamicTaskList();
        prompt.defTool(
          'search',
          'Searches',
          z.object({ query: z.string() }),
          ({ query }) => `about ${query}`,
        );
        prompt.$`Search for boats. Then write a summary. Then send it.`;
      },
      (live, event) => {
        if (event.type !== 'task-update' || event.taskId !== 'task-1' || event.status !== 'in_progress')
          return;
        void live.edit({ type: 'add', title: 'Count the words' });
        void live.edit({ type: 'remove', taskId: 'task-3' });
      },
    );
    expect(state.status).toBe('done');
    expect(tasks).toEqual([
      'Search for boats.: completed',
      'Then write a summary.: completed',
      'Count the words: completed',
    ]);
    expect(state.messages.flatMap(({ parts }) => parts)).toContainEqual(
      expect.objectContaining({
        text: expect.stringContaining('The user added task-4 “Count the words” after task-3.'),
      }),
    );
  });

  test('does a finished task again when its user retries it', async () => {
    let again = false;
    const { state, calls } = await run(
      go((prompt) => prompt.defTaskList([{ task: 'One' }, { task: 'Two' }])),
      (live, event) => {
        if (again || event.type !== 'task-update' || event.status !== 'completed') return;
        again = true;
        queueMicrotask(() => void live.edit({ type: 'retry', taskId: 'task-1' }));
      },
    );
    expect(state).toMatchObject({
      status: 'done',
      tasks: [{ status: 'completed' }, { status: 'completed' }],
    });
    expect(calls.filter((name) => name === 'finishTask')).toHaveLength(3);
  });

  test('starts agents inside a task, and fills a schema with what their tools found', async () => {
    const { state } = await run((prompt) => {
      prompt.defTaskList([
        {
          task: 'Ask the librarian',
          extend(task) {
            task.defAgent(
              'librarian',
              'Knows books',
              z.object({}),
              (_args, agent) => {
                agent.defTool('shelf', 'Books', z.object({}), () => ({ titles: ['Emma', 'Persuasion'] }));
                agent.defTaskList([{ task: 'Look at the shelf' }]);
                agent.$`What is there?`;
              },
              { responseSchema: z.object({ titles: z.array(z.string()).min(1) }) },
            );
          },
        },
      ]);
      prompt.$`Find me a book.`;
    });
    expect(state).toMatchObject({
      status: 'done',
      agents: [
        { status: 'done', tasks: [{ status: 'completed' }], output: { titles: ['Emma', 'Persuasion'] } },
      ],
    });
  });

  test('never repeats the id of a call in a run', async () => {
    const { state } = await run((prompt) => {
      prompt.defTaskList(Array.from({ length: 5 }, (_, index) => ({ task: `Task ${index}` })));
      prompt.$`Go.`;
    });
    const ids = state.toolCalls.map(({ toolCallId }) => toolCallId);
    expect(ids).toHaveLength(10);
    expect(new Set(ids).size).toBe(10);
  });
});
