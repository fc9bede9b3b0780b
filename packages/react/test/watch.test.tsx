import { definePrompt } from '@cueline/core';
import { usePrompt, type Throttle, type Watch } from '@cueline/react';
import { useEffect, type ReactElement } from 'react';
import { expect, test } from 'vitest';
import { manualExecutor, type ManualExecutor } from './support/executors.ts';
import { mount, settle, watchConsole } from './support/mount.tsx';

const greet = definePrompt('greet', (prompt) => {
  prompt.$`Greet Ada.`;
});
const moveNames = new Set([
  'start',
  'send',
  'stop',
  'retry',
  'respondToApproval',
  'respondToClientTool',
  'run',
]);

type WatcherProps = {
  executor: ManualExecutor;
  watch: Watch;
  throttle?: Throttle;
  seen: (run: object) => void;
};

function Watcher({ executor, watch, throttle, seen }: WatcherProps): ReactElement {
  const run = usePrompt(greet, { executor, watch, throttle });
  seen(run);
  const { start } = run;
  useEffect(() => void start(undefined, { key: 'first' }), [start]);
  return <output data-testid="seen">{JSON.stringify(facts(run))}</output>;
}

/** What a watching component has besides the moves. */
function facts(run: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(run).filter(([name]) => !moveNames.has(name)));
}

type Watched = {
  executor: ManualExecutor;
  facts: Record<string, unknown>[];
  shown: () => string | undefined;
};

/** Shows a run that has begun, and writes down what it was rendered with from then on. */
async function watchRun(watch: Watch, throttle?: Throttle): Promise<Watched> {
  const executor = manualExecutor();
  const renders: Record<string, unknown>[] = [];
  const page = mount(
    <Watcher
      executor={executor}
      watch={watch}
      {...(throttle === undefined ? {} : { throttle })}
      seen={(run) => renders.push(facts(run))}
    />,
  );
  await expect.poll(() => executor.requests.length).toBe(1);
  await settle();
  renders.length = 0;
  return { executor, facts: renders, shown: () => page.text('seen') };
}

async function writeSlowly(executor: ManualExecutor, words: number, milliseconds: number): Promise<void> {
  for (let word = 0; word < words; word++) {
    executor.write('word ');
    await settle(milliseconds);
  }
}

test("watch: ['text'] renders when the text changes, and has no other field", async () => {
  const { executor, facts } = await watchRun(['text']);
  executor.say({ type: 'reasoning-start', id: 'r' }, { type: 'reasoning-delta', id: 'r', text: 'Hm.' });
  executor.say({ type: 'variable-set', name: 'TONE', kind: 'text', value: 'kind' });
  await settle();
  expect(facts).toEqual([]);
  executor.write('Hello, ');
  await expect.poll(() => facts).toEqual([{ text: 'Hello, ' }]);
  executor.write('Ada.');
  executor.finish();
  await settle();
  await expect.poll(() => facts).toEqual([{ text: 'Hello, ' }, { text: 'Hello, Ada.' }]);
});

test("watch: ['status'] renders once for the end of 1,000 deltas, and has the result with it and no phase", async () => {
  const { executor, facts } = await watchRun(['status']);
  for (let delta = 0; delta < 1_000; delta++) {
    executor.write('word ');
    if (delta % 50 === 0) await settle(5);
  }
  executor.finish();
  await expect
    .poll(() => facts)
    .toEqual([{ status: 'done', finishReason: 'stop', result: 'word '.repeat(1_000) }]);
});

test("watch: 'status' is an error that says what to write", async () => {
  watchConsole();
  function View(): ReactElement {
    return <p>{usePrompt(greet, { watch: 'status' as never }).run.id}</p>;
  }
  const page = mount(<View />);
  await expect
    .poll(() => page.errors[0])
    .toMatchObject({ code: 'invalid_options', message: "watch takes a list: ['status']." });
});

test("watch: ['status'] has the error of a run that fails", async () => {
  const { executor, facts } = await watchRun(['status']);
  const error = { code: 'rate_limited', message: 'Too many requests.' } as const;
  executor.say({ type: 'run-end', outcome: 'error', error });
  await expect.poll(() => facts).toEqual([{ status: 'error', error }]);
});

test("watch: ['phase'] has it only while the run is running", async () => {
  const { executor, facts } = await watchRun(['phase']);
  executor.say({ type: 'reasoning-start', id: 'r' }, { type: 'reasoning-delta', id: 'r', text: 'Hm.' });
  await expect.poll(() => facts).toEqual([{ phase: 'reasoning' }]);
  executor.finish();
  await expect.poll(() => facts).toEqual([{ phase: 'reasoning' }, {}]);
});

test("watch: ['tasks'] renders for a task and not for text", async () => {
  const { executor, facts } = await watchRun(['tasks']);
  executor.say({ type: 'task-add', task: { id: 'task-1', title: 'Find a flat', origin: 'model' }, index: 0 });
  await expect.poll(() => facts.length).toBe(1);
  await writeSlowly(executor, 5, 20);
  executor.say({ type: 'task-update', taskId: 'task-1', by: 'model', status: 'in_progress' });
  await expect.poll(() => facts.length).toBe(2);
  executor.finish();
  await settle();
  expect(facts).toMatchObject([
    { tasks: [{ id: 'task-1', status: 'pending' }] },
    { tasks: [{ id: 'task-1', status: 'in_progress' }] },
  ]);
  expect(facts.map((fact) => Object.keys(fact))).toEqual([['tasks'], ['tasks']]);
});

test('watch: false never renders, and has only the actions', async () => {
  const { executor, facts, shown } = await watchRun(false);
  await writeSlowly(executor, 5, 20);
  executor.finish();
  await settle();
  expect(facts).toEqual([]);
  expect(shown()).toBe('{}');
});

test('throttle: 400 renders a few times, shows the last state, and the end at once', async () => {
  const { executor, facts, shown } = await watchRun(['text', 'status'], 400);
  const begun = performance.now();
  await writeSlowly(executor, 25, 20);
  // at the first word, and then at most once in 400 ms, however long the writing took: 25 words in frames are 25
  // renders
  const allowed = 2 + (performance.now() - begun) / 400;
  expect(facts.length).toBeGreaterThan(1);
  expect(facts.length).toBeLessThanOrEqual(allowed);
  await expect.poll(() => shown()).toContain('word '.repeat(25));
  executor.write('and the end.');
  executor.finish();
  const finished = performance.now();
  await expect.poll(() => shown(), { interval: 5 }).toContain('"status":"done"');
  expect(performance.now() - finished).toBeLessThan(350);
  expect(facts.at(-1)).toMatchObject({ text: `${'word '.repeat(25)}and the end.` });
});

test('throttle: a start that replaces another is shown at once', async () => {
  const executor = manualExecutor();
  const texts: string[] = [];
  let start: (() => Promise<unknown>) | undefined;
  function Greeting(): ReactElement {
    const run = usePrompt(greet, { executor, throttle: 1_000 });
    texts.push(run.text);
    const { start: first } = run;
    useEffect(() => void (start = () => first()), [first]);
    return <p data-testid="text">{run.text}</p>;
  }
  const page = mount(<Greeting />);
  await expect.poll(() => start !== undefined).toBe(true);
  void start?.();
  await settle();
  executor.write('Hello.');
  await expect.poll(() => page.text('text'), { interval: 5 }).toBe('Hello.');
  void start?.();
  await settle();
  expect(page.text('text')).toBe('');
  executor.write('Bye.');
  executor.finish();
  await expect.poll(() => page.text('text')).toBe('Bye.');
});
