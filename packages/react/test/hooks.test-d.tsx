import {
  createRun,
  definePrompt,
  tool,
  type EditReply,
  type Run,
  type RunState,
  type TaskState,
  type TextPrompt,
} from '@cueline/core';
import {
  createRunRegistry,
  PromptProvider,
  usePrompt,
  useRun,
  useRunSuspense,
  useTask,
  useTaskList,
  type AnyRun,
  type OwnTaskList,
  type PromptProviderProps,
  type PromptRun,
  type RunActions,
  type TaskListView,
  type WatchedRun,
} from '@cueline/react';
import { indexedDbStorage } from '@cueline/react/indexeddb';
import type { ReactElement } from 'react';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

const greet = definePrompt('greet', (prompt) => {
  prompt.$`Say hello.`;
});
const planDay = definePrompt(
  'plan-day',
  (prompt, input: { city: string }) => {
    prompt.$`Plan a day in ${input.city}.`;
  },
  {
    output: z.object({ stops: z.array(z.object({ name: z.string() })) }),
    tools: [
      tool('weather', 'Weather of a city', z.object({ city: z.string() }), ({ city }) => ({
        city,
        degrees: 24,
      })),
      tool('book', 'Books a table', z.object({ at: z.string() }), () => true),
    ],
  },
);
type Plan = { stops: { name: string }[] };

test('a definition’s input, output and tools are inferred', () => {
  const plan = usePrompt(planDay);
  expectTypeOf(plan.start).parameter(0).toEqualTypeOf<{ city: string }>();
  expectTypeOf(plan.start).returns.toEqualTypeOf<Promise<Plan>>();
  expectTypeOf(plan.send).returns.toEqualTypeOf<Promise<Plan>>();
  expectTypeOf(plan.retry).returns.toEqualTypeOf<Promise<Plan>>();
  expectTypeOf(plan.object?.stops?.[0]?.name).toEqualTypeOf<string | undefined>();
  expectTypeOf(plan.result).toEqualTypeOf<Plan | undefined>();
  if (plan.status === 'done') expectTypeOf(plan.result).toEqualTypeOf<Plan>();
  for (const call of plan.toolCalls) {
    expectTypeOf(call.toolName).toEqualTypeOf<'weather' | 'book'>();
    if (call.toolName === 'weather') {
      expectTypeOf(call.input?.city).toEqualTypeOf<string | undefined>();
      expectTypeOf(call.partialInput?.city).toEqualTypeOf<string | undefined>();
      expectTypeOf(call.output?.degrees).toEqualTypeOf<number | undefined>();
    } else {
      // @ts-expect-error a table has no degrees
      void call.output?.degrees;
    }
  }
  usePrompt(planDay, {
    onDone: ({ result }) => expectTypeOf(result).toEqualTypeOf<Plan>(),
  });
});

test('undefined is the same as no option', () => {
  const given = {} as Pick<PromptProviderProps, 'persist' | 'registry' | 'models'>;
  const { persist, registry, models } = given;
  void (<PromptProvider persist={persist} registry={registry} models={models} />);
  createRunRegistry({ maxBackground: undefined, maxKept: undefined });
  indexedDbStorage({ databaseName: undefined, maxRuns: undefined });
  const whole = usePrompt(planDay, { watch: undefined, throttle: undefined });
  expectTypeOf(whole.text).toEqualTypeOf<string>();
  const watch = ['text'] as const;
  const part = usePrompt(planDay, { watch: Math.random() > 0.5 ? watch : undefined });
  expectTypeOf(part.text).toEqualTypeOf<string>();
});

test('a field that is not watched cannot be read', () => {
  const run = usePrompt(planDay, { watch: ['text', 'toolCalls'] });
  expectTypeOf(run.text).toEqualTypeOf<string>();
  expectTypeOf(run.toolCalls[0]!.toolName).toEqualTypeOf<'weather' | 'book'>();
  expectTypeOf(run.start).parameter(0).toEqualTypeOf<{ city: string }>();
  // @ts-expect-error messages are not watched
  void run.messages;
  // @ts-expect-error nor is the status
  void run.status;
  // @ts-expect-error there is no such field
  usePrompt(planDay, { watch: ['words'] });
});

test('a status that is watched comes with its result and error, and without its phase', () => {
  const run = usePrompt(planDay, { watch: ['status'] });
  expectTypeOf(run.status).toEqualTypeOf<RunState['status']>();
  if (run.status === 'done') expectTypeOf(run.result).toEqualTypeOf<Plan>();
  if (run.status === 'error') expectTypeOf(run.error.message).toEqualTypeOf<string>();
  // @ts-expect-error the phase is not watched
  if (run.status === 'running') void run.phase;
  // @ts-expect-error nor is the text
  void run.text;
  const withPhase = usePrompt(greet, { watch: ['status', 'phase'] });
  if (withPhase.status === 'running') expectTypeOf(withPhase.phase).toExtend<string>();
});

test('watch: false leaves only the actions', () => {
  const run = usePrompt(planDay, { watch: false });
  expectTypeOf(run).toExtend<Pick<RunActions<{ city: string }>, 'stop' | 'respondToApproval'>>();
  expectTypeOf<keyof typeof run>().toEqualTypeOf<keyof RunActions>();
  // @ts-expect-error nothing is watched
  void run.status;
});

test('a function in the component answers with text', () => {
  const inline = usePrompt((prompt) => prompt.$`Say hello.`, { watch: ['status'] });
  expectTypeOf(inline.start()).toEqualTypeOf<Promise<string>>();
  if (inline.status === 'done') expectTypeOf(inline.result).toEqualTypeOf<string>();
  const whole = usePrompt(async (prompt, topic: string) => prompt.$`Write about ${topic}.`);
  expectTypeOf(whole).toExtend<PromptRun<string>>();
  expectTypeOf(whole).toExtend<RunState<TextPrompt>>();
});

test('useRun returns the value of the selector', () => {
  const run = createRun(planDay);
  expectTypeOf(useRun(run).status).toEqualTypeOf<RunState['status']>();
  expectTypeOf(useRun(run, (state) => state.usage.totalTokens)).toEqualTypeOf<number>();
  expectTypeOf(useRun(run, ({ status }) => status === 'done')).toEqualTypeOf<boolean>();
  const { words } = useRun(
    run,
    (state) => ({ words: state.text.split(' ') }),
    (one, other) => one.words.length === other.words.length,
  );
  expectTypeOf(words).toEqualTypeOf<string[]>();
  expectTypeOf(useRun(run, (state) => state.toolCalls[0]?.toolName)).toEqualTypeOf<
    'weather' | 'book' | undefined
  >();
  // @ts-expect-error a state has no such field
  useRun(run, (state) => state.words);
  const { run: shared } = usePrompt(planDay, { watch: false });
  expectTypeOf(useRun(shared, (state) => state.object?.stops?.length)).toEqualTypeOf<number | undefined>();
  expectTypeOf(useTask(shared, 'task-1')).toEqualTypeOf<TaskState | undefined>();
});

test('useRunSuspense: done has the result, and the other points have the state', () => {
  const run = createRun(planDay);
  expectTypeOf(useRunSuspense(run, 'done').result).toEqualTypeOf<Plan>();
  expectTypeOf(useRunSuspense(run, 'hydrated').status).toEqualTypeOf<RunState['status']>();
  expectTypeOf(useRunSuspense(run, 'first-text').result).toEqualTypeOf<Plan | undefined>();
  // @ts-expect-error there is no such point
  void useRunSuspense(run, 'started');
});

test('useTaskList shows a run, or owns a run of tasks', () => {
  const { run } = usePrompt(planDay, { watch: false });
  const shown = useTaskList(run);
  expectTypeOf(shown).toEqualTypeOf<TaskListView>();
  expectTypeOf(shown.skip('task-1', 'no time')).toEqualTypeOf<Promise<EditReply>>();
  // @ts-expect-error a list that only shows a run does not start it
  void shown.start;
  // @ts-expect-error nor does it say how the run is to be run
  useTaskList(run, { model: 'simulated:demo' });
  const own = useTaskList(['Find a flat', { task: 'Pack', validation: (result) => `${result}?` }], {
    model: 'simulated:demo',
    maxAttempts: 2,
    prompt: (prompt) => prompt.$`Help me move.`,
  });
  expectTypeOf(own).toEqualTypeOf<OwnTaskList>();
  expectTypeOf(own.start()).toEqualTypeOf<Promise<string>>();
  // @ts-expect-error what re-renders a task list is its tasks
  useTaskList(['Find a flat'], { watch: false });
  // @ts-expect-error a click is not how to start
  expectTypeOf(own.start).toExtend<(event: MouseEvent) => unknown>();
});

function Tokens({ run }: { run: WatchedRun }): ReactElement {
  return <p>{useRun(run, (state) => state.usage.totalTokens)}</p>;
}
function StopButton({ run }: { run: Run<never> }): ReactElement {
  return <button onClick={() => run.stop()}>Stop</button>;
}
function Tasks({ run }: { run: AnyRun }): ReactElement {
  return <p>{useTaskList(run).progress.ratio}</p>;
}

test('a component can take the run of any prompt', () => {
  const plan = usePrompt(planDay, { watch: false });
  const inline = usePrompt((prompt, input: { topic: string }) => prompt.$`Write about ${input.topic}.`);
  expectTypeOf(plan.run).toExtend<WatchedRun>();
  expectTypeOf(plan.run).toExtend<Run<never>>();
  expectTypeOf(plan.run).toExtend<AnyRun>();
  expectTypeOf(inline.run).toExtend<AnyRun>();
  void (<Tokens run={plan.run} />);
  void (<Tokens run={inline.run} />);
  void (<StopButton run={plan.run} />);
  void (<StopButton run={createRun(planDay).fork()} />);
  void (<Tasks run={plan.run} />);
  void (<Tasks run={usePrompt(greet).run} />);
});
