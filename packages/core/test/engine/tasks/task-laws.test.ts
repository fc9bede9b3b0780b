import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import {
  reduceAll,
  runPrompt,
  type RunHandle,
  type Prompt,
  type PromptSource,
  type RunState,
  type TaskEdit,
  type TaskItem,
  type TaskListHandle,
} from '@cueline/core';
import { scriptedModel, type ScriptedPart, type ScriptedTurn } from '@cueline/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../../sent-requests.ts';
import { call, go, json, throwing } from '../../support.ts';
import { after } from '../../support/runs.ts';
import { sample } from '../../support/sample.ts';

const finish = (result: string) => call('finishTask', { result });
const taskId = fc.integer({ min: 1, max: 6 }).map((n) => `task-${n}`);

/** A run whose user does something when the event of this number has been written. */
async function playWith(
  source: (prompt: Prompt) => TaskListHandle,
  turns: readonly ScriptedTurn[],
  actions: readonly { at: number; act: (run: RunHandle) => void }[],
) {
  // a model that has nothing more to say stops, again and again
  const model = scriptedModel([...turns, ...Array<string>(60).fill('I am done.')]);
  let handle: TaskListHandle | undefined;
  const { run, result } = await runPrompt((prompt) => void (handle = source(prompt)), { model });
  run.listen(({ seq }) => {
    for (const { at, act } of actions) if (at === seq) act(run);
  });
  const state = await run.finished;
  await Promise.allSettled([result.text, result.usage, result.steps, result.toolResults]);
  return { run, model, state, tasks: handle!.tasks };
}

/** The task without what the log adds to it. */
function plain({
  seq: _seq,
  startedAt: _startedAt,
  finishedAt: _finishedAt,
  ...task
}: RunState['tasks'][number]): TaskItem {
  return task;
}

/** What is wrong with the tool calls of a prompt, as providers see it. */
function unpaired(prompt: LanguageModelV4Prompt): string[] {
  const open = new Set<string>();
  const faults: string[] = [];
  for (const { role, content } of prompt) {
    if (role === 'user' && open.size > 0) faults.push(`the user speaks while ${[...open].join()} is open`);
    if (typeof content === 'string') continue;
    for (const part of content) {
      if (part.type === 'tool-call') open.add(part.toolCallId);
      if (part.type === 'tool-result' && !open.delete(part.toolCallId))
        faults.push(`no call for ${part.toolCallId}`);
    }
  }
  return open.size === 0 ? faults : [...faults, `no result for ${[...open].join()}`];
}

/** What holds of every run with a task list, however it went. */
function expectPromises({ run, model, state, tasks }: Awaited<ReturnType<typeof playWith>>): void {
  const events = run.log();
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index));
  expect(events.filter(({ type }) => type === 'run-end')).toEqual([events.at(-1)]);
  expect(['done', 'stopped', 'error']).toContain(state.status);
  const open = tasks.filter(({ status }) => !['completed', 'skipped'].includes(status));
  if (state.status === 'done') expect(open).toEqual([]);
  if (state.status === 'error')
    expect(['tasks_incomplete', 'loop_detected', 'budget_exceeded']).toContain(state.error.code);
  expect(json(reduceAll(json(events)))).toEqual(json(state));
  expect(state.tasks.map(plain)).toEqual(tasks);
  expect(model.calls.map(({ prompt }) => unpaired(prompt))).toEqual(model.calls.map(() => []));
  // what the log says of each step is what the model got; a run that is stopped as a step begins asks no more
  const asked = state.steps.slice(0, model.calls.length);
  expect(asked.map(({ request }) => [request.instructions, request.tools.map(({ name }) => name)])).toEqual(
    sent(model).map(({ system = '', tools }) => [system, tools]),
  );
  expect(state.steps.length - asked.length).toBeLessThanOrEqual(state.status === 'stopped' ? 1 : 0);
}

const index = fc.integer({ min: -1, max: 6 });

const edit: fc.Arbitrary<TaskEdit> = fc.oneof(
  fc.record({ type: fc.constant('add' as const), title: fc.constantFrom('Extra', '') }),
  fc.record({ type: fc.constant('add' as const), title: fc.constant('Extra'), index }),
  fc.record({ type: fc.constant('rename' as const), taskId, title: fc.constant('Renamed') }),
  fc.record({ type: fc.constant('remove' as const), taskId }),
  fc.record({ type: fc.constant('move' as const), taskId, index }),
  fc.record({ type: fc.constant('skip' as const), taskId }),
  fc.record({ type: fc.constant('retry' as const), taskId }),
  fc.record({ type: fc.constant('resolve' as const), taskId, result: fc.constant('by hand') }),
  fc.constant({ type: 'explode' } as unknown as TaskEdit),
);

/** What a user does, at some event. Seldom it is to stop the run. */
const actions = fc.array(
  fc.record({
    at: fc.integer({ min: 0, max: 60 }),
    act: fc.oneof(
      { weight: 12, arbitrary: edit.map((given) => (run: RunHandle) => void run.edit(given)) },
      { weight: 1, arbitrary: fc.constant((run: RunHandle) => run.stop()) },
    ),
  }),
  { maxLength: 6, size: 'max' },
);

function turnsOf(calls: fc.Arbitrary<ScriptedPart>): fc.Arbitrary<ScriptedTurn[]> {
  const step = fc.array(calls, { minLength: 1, maxLength: 4 });
  return fc.array(fc.oneof({ weight: 1, arbitrary: fc.constant('Hm.') }, { weight: 6, arbitrary: step }), {
    maxLength: 12,
    size: 'max',
  });
}

const otherCalls = [
  fc.nat(3).map((n) => call('look', { n })),
  fc.nat(3).map((n) => call('wait', { n })),
  fc.constant(call('fail')),
  fc.constant(call('nowhere')),
  fc.constant(call('extra', { n: 1 })),
  fc.constant(call('look', { n: 'x' })),
];

const staticCall = fc.oneof(
  fc.constant(call('startTask')),
  { weight: 4, arbitrary: fc.constant(finish('right')) },
  fc.constant(finish('wrong')),
  fc.constant(call('finishTask')),
  ...otherCalls,
);

const dynamicCall = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('A', 'B', '').map((description) => call('createTask', { description })),
  },
  taskId.map((id) => call('startTask', { taskId: id })),
  { weight: 3, arbitrary: taskId.map((id) => call('completeTask', { taskId: id, result: 'made' })) },
  taskId.map((id) => call('updateTask', { taskId: id, newDescription: 'Better' })),
  taskId.map((id) => call('deleteTask', { taskId: id })),
  fc.constant(call('getTaskList')),
  ...otherCalls,
);

function addTools(prompt: Prompt): void {
  const numbered = z.object({ n: z.number() });
  prompt.defTool('look', '', numbered, ({ n }) => n);
  prompt.defTool('wait', '', numbered, ({ n }) => new Promise((resolve) => setTimeout(resolve, n, n)));
  prompt.defTool('fail', '', z.object({}), throwing(new Error('no luck')));
  prompt.defSystem('role', 'Worker.');
  prompt.$`Go.`;
}

function staticList(prompt: Prompt): TaskListHandle {
  addTools(prompt);
  const validation = async (result: string) => {
    await after(1);
    return result === 'right' ? undefined : 'Try again.';
  };
  return prompt.defTaskList(
    [
      { task: 'One', validation },
      {
        task: 'Two',
        validation,
        extend(own) {
          own.defTool('extra', '', z.object({ n: z.number() }), () => 'two');
          own.defSystem('two', 'Only here.');
        },
      },
      { task: 'Three', validation, extend: (own) => own.defTool('extra', '', z.object({}), () => 'three') },
    ],
    { maxAttempts: 3, maxNudges: 2 },
  );
}

describe('for any actions of model and user, a run ends once, and is not done while a task is open', () => {
  test('with tasks of the author', { timeout: 60_000 }, async () => {
    expect.hasAssertions();
    await fc.assert(
      fc.asyncProperty(turnsOf(staticCall), actions, async (turns, acts) => {
        expectPromises(await playWith(staticList, turns, acts));
      }),
      { numRuns: sample(60) },
    );
  });

  test('with tasks of the model', { timeout: 60_000 }, async () => {
    const dynamicList = (prompt: Prompt): TaskListHandle => {
      addTools(prompt);
      return prompt.defDynamicTaskList({ maxNudges: 2 });
    };
    expect.hasAssertions();
    await fc.assert(
      fc.asyncProperty(turnsOf(dynamicCall), actions, async (turns, acts) => {
        expectPromises(await playWith(dynamicList, turns, acts));
      }),
      { numRuns: sample(60) },
    );
  });
});

describe('a listener that reacts to an event synchronously', () => {
  const twoTasks: PromptSource = (prompt) => {
    prompt.defTaskList([{ task: 'One' }, { task: 'Two' }]);
    prompt.$`Go.`;
  };

  test('does not change the order of events for other listeners', async () => {
    const { run } = await runPrompt(twoTasks, {
      model: scriptedModel([[finish('1')], [finish('2')], [finish('3')], 'Done.']),
    });
    const heard: number[][] = [[], []];
    run.listen((event) => {
      if (event.type === 'task-update' && event.taskId === 'task-1')
        void run.edit({ type: 'add', title: 'More' });
      heard[0]!.push(event.seq);
    });
    run.listen(({ seq }) => void heard[1]!.push(seq));
    const { seq } = await run.finished;
    // the start and the two tasks were logged before the first listener
    const inOrder = Array.from({ length: seq - 2 }, (_, index) => index + 3);
    expect(heard).toEqual([inOrder, inOrder]);
  });

  test('may undo an edit between its two events', async () => {
    let tasks: TaskListHandle | undefined;
    const { run } = await runPrompt(
      go((prompt) => {
        tasks = prompt.defTaskList([{ task: 'One' }, { task: 'Two' }]);
        prompt.defTool('again', '', z.object({}), () => tasks!.edit({ type: 'retry', taskId: 'task-1' }));
      }),
      { model: scriptedModel([[finish('1')], [call('again')], [finish('2')], 'Done.']) },
    );
    let skipped: unknown;
    run.listen((event) => {
      // the second task waits for the first; the event that opens the first again comes next
      const waits = event.type === 'task-update' && event.taskId === 'task-2' && event.status === 'pending';
      if (waits) skipped = run.edit({ type: 'skip', taskId: 'task-1' });
    });
    const state = await run.finished;
    expect(await skipped).toEqual({ accepted: true });
    expect(state.status).toBe('done');
    expect(state.tasks.map(({ status }) => status)).toEqual(['skipped', 'completed']);
    expect(state.tasks.map(plain)).toEqual(tasks!.tasks);
  });

  test('may end the run between the two events of a call', async () => {
    let tasks: TaskListHandle | undefined;
    const { run } = await runPrompt(
      go((prompt) => (tasks = prompt.defTaskList([{ task: 'One' }]))),
      { model: scriptedModel([[finish('1')], 'Never.']) },
    );
    run.listen((event) => {
      if (event.type === 'task-update') run.stop();
    });
    const state = await run.finished;
    await after(10);
    expect(state.tasks.map(({ status }) => status)).toEqual(['in_progress']);
    expect(tasks!.tasks.map(({ status }) => status)).toEqual(['in_progress']);
  });
});

test('a tool cannot change tasks after the run has ended', async () => {
  let tasks: TaskListHandle | undefined;
  let validated = false;
  const { run } = await runPrompt(
    go(
      (prompt) =>
        (tasks = prompt.defTaskList([
          {
            task: 'One',
            validation: async () => {
              run.stop();
              await after(5);
              validated = true;
            },
          },
        ])),
    ),
    { model: scriptedModel([[finish('1')], 'Never.']) },
  );
  const state = await run.finished;
  await after(20);
  expect(validated).toBe(true);
  expect(tasks!.tasks).toEqual(state.tasks.map(plain));
  expect(tasks!.edit({ type: 'skip', taskId: 'task-1' })).toEqual({
    accepted: false,
    reason: 'The run has ended, so its tasks are fixed.',
  });
});
