import {
  generateText,
  isStepCount,
  type ModelMessage,
  Output,
  streamText,
  tool,
  type ToolChoice,
  type ToolSet,
} from 'ai';
import {
  runPrompt,
  tool as namedTool,
  type RunHandle,
  type PromptSource,
  type RunEvent,
} from '@cueline/core';
import { classify, defineAgent, runAgentSession, tags } from '@cueline/core/agents';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { demoModel } from '@cueline/core/testing';

const weather = tool({
  description: 'Weather for a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, temperature: 21, sky: 'clear' }),
});

type Settings = {
  prompt?: string;
  messages?: ModelMessage[];
  instructions?: string;
  tools?: ToolSet;
  toolChoice?: ToolChoice<ToolSet>;
  steps?: number;
};

/** What the demo model did: texts and calls in order. */
async function ask({ prompt = 'Hello', messages, steps = 20, ...rest }: Settings) {
  const result = streamText({
    model: demoModel({ pace: 0 }),
    ...(messages === undefined ? { prompt } : { messages }),
    stopWhen: isStepCount(steps),
    ...rest,
  });
  const calls: string[] = [];
  const steppedTexts: string[] = [''];
  for await (const part of result.stream) {
    if (part.type === 'text-delta') steppedTexts[steppedTexts.length - 1] += part.text;
    if (part.type === 'tool-call') calls.push(`${part.toolName} ${JSON.stringify(part.input)}`);
    if (part.type === 'finish-step') steppedTexts.push('');
    if (part.type === 'error') throw part.error;
  }
  steppedTexts.pop();
  return { calls, texts: steppedTexts, text: steppedTexts.at(-1) ?? '', usage: await result.usage };
}

describe('demoModel', () => {
  test('names a few of many variables, and how many more exist', async () => {
    const tagged = Array.from({ length: 20_000 }, (_, i) => `<V${i}>x</V${i}>`).join('\n');
    const { text } = await ask({ instructions: tagged, prompt: 'Hi' });
    expect(text).toContain('I was given V0, V1,');
    expect(text).toContain('V11 and 19,988 more, which a real model would use.');
  });

  test('takes at most twice as long for twice as many open tags or dashes', async () => {
    const time = async (instructions: string): Promise<number> => {
      const tries: number[] = [];
      for (let count = 0; count < 3; count += 1) {
        const begin = performance.now();
        await ask({ instructions, prompt: 'Hi' });
        tries.push(performance.now() - begin);
      }
      return Math.min(...tries);
    };
    const open = (count: number): string => Array.from({ length: count }, (_, i) => `<V${i}>`).join('');
    const dashes = (count: number): string => `<A>${'-'.repeat(count)}</A>`;
    for (const made of [open, dashes]) {
      // what looks through all of it at each place makes it 100 and more
      expect((await time(made(100_000))) / (await time(made(10_000)))).toBeLessThan(40);
    }
  });

  test('introduces itself, and restates the request with its variables', async () => {
    const { text, usage } = await ask({
      instructions: 'Variables are given as <NAME>value</NAME>.\n\n<USER_NAME>Ada</USER_NAME>',
      prompt: 'Help <USER_NAME> plan the day.',
    });
    expect(text).toMatchInlineSnapshot(`
      "I am the built-in simulated model: I follow rules, and understand nothing. Pick a model and give its key for real answers.

      You ask: “Help Ada plan the day.”

      I was given USER_NAME, which a real model would use.

      No tool is left to call for this, so that is all that I can say about it."
    `);
    expect(usage.inputTokens).toBeGreaterThan(10);
    expect(usage.outputTokens).toBe(Math.ceil(text.length / 4));
  });

  test('calls a tool with what the request mentions, and quotes the result', async () => {
    const { texts, calls } = await ask({ prompt: 'What is the weather in Berlin?', tools: { weather } });
    expect(calls).toEqual(['weather {"city":"Berlin"}']);
    expect(texts[0]).toContain('I call weather.');
    expect(texts[1]).toMatchInlineSnapshot(`
      "On “What is the weather in Berlin?”, this is what I found:

      weather returned:

      - **city**: Berlin
      - **temperature**: 21
      - **sky**: clear"
    `);
  });

  test('reads before it writes, and passes on what it read', async () => {
    const { calls, text } = await ask({
      prompt: 'Find a hotel in Porto for 3 nights and book it.',
      tools: {
        bookHotel: tool({
          inputSchema: z.object({ hotelId: z.string() }),
          execute: async (): Promise<string> => {
            throw new Error('the card was refused');
          },
        }),
        searchHotels: tool({
          inputSchema: z.object({ city: z.string(), nights: z.int() }),
          execute: async () => [{ id: 'h-17', name: 'Casa' }],
        }),
        ping: tool({ inputSchema: z.object({}), execute: async () => null }),
      },
    });
    expect(calls).toEqual([
      'searchHotels {"city":"Porto","nights":3}',
      'ping {}',
      'bookHotel {"hotelId":"h-17"}',
    ]);
    expect(text).toContain('bookHotel failed: the card was refused.');
    expect(text).toContain('- id h-17, name Casa');
    expect(text).toContain('ping is done, and had nothing to report.');
  });

  test('calls each tool once, for any number of tools', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `read${index}`);
    const tools = Object.fromEntries(
      names.map((name) => [name, tool({ inputSchema: z.object({}), execute: async () => name })]),
    );
    const { calls } = await ask({ tools });
    expect(calls).toHaveLength(names.length);
    expect(new Set(calls.map((call) => call.split(' ')[0]))).toEqual(new Set(names));
  });

  test('a tool that was denied is reported, not called again', async () => {
    const { text, calls } = await ask({
      messages: [
        { role: 'user', content: 'Go' },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: '1', toolName: 'weather', input: { city: 'Faro' } }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: '1',
              toolName: 'weather',
              output: { type: 'execution-denied', reason: 'not today' },
            },
          ],
        },
      ],
      tools: { weather },
    });
    expect(calls).toEqual([]);
    expect(text).toContain('weather was not allowed to run: not today.');
  });

  test.each(['none', 'required', { type: 'tool', toolName: 'other' }] as const)(
    'honours toolChoice %j',
    async (toolChoice) => {
      const other = tool({ inputSchema: z.object({}), execute: async () => 1 });
      const { calls } = await ask({ tools: { weather, other }, toolChoice, steps: 1 });
      const expected = { none: [], required: ['weather {"city":"Lisbon"}', 'other {}'], tool: ['other {}'] };
      expect(calls).toEqual(expected[typeof toolChoice === 'string' ? toolChoice : 'tool']);
    },
  );

  test('toolChoice required gets a call even when every tool was called', async () => {
    const { calls } = await ask({ tools: { weather }, toolChoice: 'required', steps: 3 });
    expect(calls).toHaveLength(3);
  });

  test('answers a schema with a valid instance', async () => {
    const schema = z.object({ name: z.string(), age: z.int(), tags: z.array(z.string()).min(2) });
    const { output } = await generateText({
      model: demoModel({ pace: 0 }),
      prompt: 'The age is 36.',
      output: Output.object({ schema }),
    });
    expect(output.age).toBe(36);
    expect(output.tags).toHaveLength(2);
  });

  test('a follow-up is answered as one, without a second introduction', async () => {
    const { texts, calls } = await ask({
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi.' },
        { role: 'user', content: 'And the weather in Rome?' },
      ],
      tools: { weather },
    });
    expect(texts[0]).toBe('You now ask: “And the weather in Rome?” I call weather.');
    expect(calls).toEqual(['weather {"city":"Rome"}']);
  });

  test('the same conversation gets the same answer', async () => {
    const settings = { prompt: 'Weather in Oslo?', tools: { weather } };
    expect(await ask(settings)).toEqual(await ask(settings));
  });

  test('an abort ends it at once', async () => {
    const controller = new AbortController();
    const { stream } = await demoModel({ pace: 60_000 }).doStream({
      prompt: [],
      abortSignal: controller.signal,
    });
    const reader = stream.getReader();
    await reader.read();
    await reader.read();
    const pending = reader.read();
    controller.abort();
    await expect(pending).rejects.toMatchObject({ name: 'AbortError' });
  });
});

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
  ])('goes by the feedback: %s', async (feedback, accepts) => {
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

  test('reports a list that needs nothing of it', async () => {
    const finishTask = tool({
      inputSchema: z.object({ result: z.string() }),
      execute: async () => 'There is no current task.',
    });
    const { calls, text } = await ask({ prompt: 'Go on.', tools: { finishTask } });
    expect(calls).toHaveLength(1);
    expect(text).toBe('There is nothing left to do for “Go on.”.');
  });

  test('keeps its own list if it has the tools for it', async () => {
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
  /** A whole run on the demo model: the calls that it made, and how the run stands at its end. */
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

  test('continues when a finished task is to be done again', async () => {
    let again = false;
    const { state, calls } = await run(
      (prompt) => {
        prompt.defTaskList([{ task: 'One' }, { task: 'Two' }]);
        prompt.$`Go.`;
      },
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

  test('the ids of its calls never come again in a run', async () => {
    const { state } = await run((prompt) => {
      prompt.defTaskList(Array.from({ length: 5 }, (_, index) => ({ task: `Task ${index}` })));
      prompt.$`Go.`;
    });
    const ids = state.toolCalls.map(({ toolCallId }) => toolCallId);
    expect(ids).toHaveLength(10);
    expect(new Set(ids).size).toBe(10);
  });
});

describe('demoModel in an agent call', () => {
  const model = demoModel({ pace: 0 });

  test('answers in the tags that are asked for', async () => {
    const planner = defineAgent({
      name: 'planner',
      instructions: 'You plan days.',
      model,
      output: tags({ required: ['city', 'note'], optional: ['weather'] }),
    });
    const { output, attempts } = await planner.call('Plan a day in Lisbon.');
    expect(output).toEqual({ city: 'Lisbon', note: expect.stringMatching(/./) });
    expect(attempts).toBe(1);
  });

  test('answers with a label: the one in the text, otherwise always the same', async () => {
    const ask = (text: string) => classify(text, ['praise', 'complaint'], { model });
    expect(await ask('This is a complaint.')).toEqual({ label: 'complaint', source: 'label' });
    expect(await ask('Where is my parcel?')).toEqual(await ask('Where is my parcel?'));
  });

  test('works through a session, and reports its completion', async () => {
    const { completionReason, totalTurns } = await runAgentSession(model, {
      systemPrompt: 'You water plants.',
      initialMessage: 'Water the basil.',
      tools: [namedTool('water', 'Water a plant', z.object({ plant: z.string() }), () => 'watered')],
    });
    expect({ completionReason, totalTurns }).toEqual({ completionReason: 'task_complete', totalTurns: 2 });
  });
});
