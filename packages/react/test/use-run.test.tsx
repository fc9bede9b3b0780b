import { createRun, definePrompt, type RetryState, type Run, type RunState } from '@cueline/core';
import {
  usePrompt,
  useRetryCountdown,
  useRun,
  useTask,
  type AnyRun,
  type Throttle,
  type WatchedRun,
} from '@cueline/react';
import { useEffect, type ReactElement } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { manualExecutor, type ManualExecutor } from './support/executors.ts';
import { mount, settle } from './support/mount.tsx';

const greet = definePrompt('greet', (prompt) => {
  prompt.$`Greet Ada.`;
});

async function startRun(): Promise<{ run: Run; executor: ManualExecutor }> {
  const executor = manualExecutor();
  const run = createRun(greet, { executor });
  void run.start();
  await settle();
  return { run, executor };
}

type LengthProps = {
  run: WatchedRun;
  of: 'text' | 'messages';
  seen: (length: number) => void;
  throttle?: Throttle;
};

/** Selects with a function that is another one at each render. */
function Length({ run, of, seen, throttle }: LengthProps): ReactElement {
  const length = useRun(run, (state) => state[of].length, undefined, throttle);
  seen(length);
  return <p data-testid="length">{length}</p>;
}

test('without a selector it returns the state, without needless renders', async () => {
  const { run, executor } = await startRun();
  const states: RunState[] = [];
  function Whole(): ReactElement {
    const state = useRun(run);
    states.push(state);
    return <p data-testid="text">{state.text}</p>;
  }
  const page = mount(<Whole />);
  await settle();
  expect(states).toHaveLength(1);
  expect(states[0]).toBe(run.getState());
  executor.write('Hello.');
  executor.finish();
  await expect.poll(() => page.text('text')).toBe('Hello.');
  await settle();
  expect(states.at(-1)).toBe(run.getState());
  expect(states.length).toBeLessThan(4);
});

test('a selector renders only when what it selects changes', async () => {
  const { run, executor } = await startRun();
  const seen: number[] = [];
  const page = mount(<Length run={run} of="text" seen={(length) => seen.push(length)} />);
  await settle();
  executor.say({ type: 'reasoning-start', id: 'r' }, { type: 'reasoning-delta', id: 'r', text: 'Hm.' });
  await settle();
  executor.write('Hello.');
  await expect.poll(() => page.text('length')).toBe('6');
  executor.say({ type: 'reasoning-delta', id: 'r', text: 'So.' });
  executor.finish();
  await settle();
  expect(seen).toEqual([0, 6]);
});

test('isEqual decides about renders, also if the selector makes new objects', async () => {
  const { run, executor } = await startRun();
  const seen: unknown[] = [];
  const isEqual = (one: { words: number }, other: { words: number }): boolean => one.words === other.words;
  function Words(): ReactElement {
    const { words } = useRun(run, (state) => ({ words: state.text.split(' ').length - 1 }), isEqual);
    seen.push(words);
    return <p data-testid="words">{words}</p>;
  }
  const page = mount(<Words />);
  await settle();
  for (const piece of ['a', 'b', ' c', 'd', ' e']) {
    executor.write(piece);
    await settle();
  }
  expect(page.text('words')).toBe('2');
  expect(seen).toEqual([0, 1, 2]);
});

test('another selector gets the current state before the next paint', async () => {
  const { run, executor } = await startRun();
  const seen: number[] = [];
  const painted: (string | undefined)[] = [];
  const show = (of: 'text' | 'messages'): ReactElement => (
    <Length run={run} of={of} seen={(length) => seen.push(length)} />
  );
  const page = mount(show('messages'));
  await settle();
  // after the component, which has subscribed before
  const told = new Promise<void>((resolve) => {
    run.subscribe(({ text }) => {
      if (text === 'Hello.') resolve();
    });
  });
  executor.write('Hello.');
  await told;
  await settle();
  expect(page.text('length')).toBe('1');
  let looking = true;
  const look = (): void => {
    painted.push(page.text('length'));
    if (looking) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  page.show(show('text'));
  await expect.poll(() => page.text('length')).toBe('6');
  await settle();
  looking = false;
  // not the text as it was when this component last rendered
  expect(painted).toContain('6');
  expect(painted).not.toContain('0');
});

test('another run is shown at once, and nothing of the earlier one', async () => {
  const [first, second] = [await startRun(), await startRun()];
  first.executor.write('Hello.');
  second.executor.write('Hi.');
  const seen: number[] = [];
  const show = (run: Run): ReactElement => (
    <Length run={run} of="text" seen={(length) => seen.push(length)} />
  );
  await settle();
  const page = mount(show(first.run));
  await expect.poll(() => page.text('length')).toBe('6');
  page.show(show(second.run));
  await expect.poll(() => page.text('length')).toBe('3');
  first.executor.write(' And more.');
  await settle();
  expect([...new Set(seen)]).toEqual([6, 3]);
  page.show(show(first.run));
  await expect.poll(() => page.text('length')).toBe('16');
});

test('what happens between the render and the subscription is not lost', async () => {
  const { run, executor } = await startRun();
  function Early(): ReactElement {
    const text = useRun(run, (state) => state.text);
    return <p data-testid="text">{text}</p>;
  }
  const page = mount(<Early />);
  executor.write('Hello.');
  executor.finish();
  await expect.poll(() => page.text('text')).toBe('Hello.');
});

test('throttle limits the renders of one component and not of another', async () => {
  const { run, executor } = await startRun();
  const [often, seldom]: [number[], number[]] = [[], []];
  mount(
    <>
      <Length run={run} of="text" seen={(length) => often.push(length)} />
      <Length run={run} of="text" seen={(length) => seldom.push(length)} throttle={300} />
    </>,
  );
  const mounted = performance.now();
  await settle();
  for (let word = 0; word < 15; word++) {
    executor.write('word ');
    await settle(20);
  }
  // at the mount, at the first word, and then at most once in 300 ms, however long the writing took
  const allowed = 3 + (performance.now() - mounted) / 300;
  expect(seldom.length).toBeLessThanOrEqual(allowed);
  expect(often.length).toBeGreaterThan(8);
  await settle(400);
  expect([often.at(-1), seldom.at(-1)]).toEqual([75, 75]);
});

const plan = definePrompt('plan', (prompt) => {
  prompt.$`Plan a day.`;
});

function TaskRow({
  run,
  taskId,
  seen,
}: {
  run: AnyRun;
  taskId: string;
  seen: (id: string) => void;
}): ReactElement {
  const task = useTask(run, taskId);
  seen(taskId);
  return <p data-testid={taskId}>{task === undefined ? 'none' : `${task.title}: ${task.status}`}</p>;
}

test('useTask renders only the component whose task changes, once', async () => {
  const executor = manualExecutor();
  const ids = Array.from({ length: 20 }, (_, index) => `task-${index + 1}`);
  const seen: string[] = [];
  function Rows(): ReactElement {
    const { run, start } = usePrompt(plan, { executor, watch: false });
    useEffect(() => void start(undefined, { key: 'first' }), [start]);
    return (
      <>
        {ids.map((id) => (
          <TaskRow key={id} run={run} taskId={id} seen={(one) => seen.push(one)} />
        ))}
      </>
    );
  }
  const page = mount(<Rows />);
  await expect.poll(() => executor.requests.length).toBe(1);
  ids.forEach((id, index) =>
    executor.say({ type: 'task-add', task: { id, title: `Do ${index + 1}`, origin: 'author' }, index }),
  );
  await expect.poll(() => page.text('task-20')).toBe('Do 20: pending');
  seen.length = 0;
  executor.write('Some words.');
  executor.say({ type: 'task-update', taskId: 'task-7', by: 'model', status: 'in_progress' });
  await expect.poll(() => page.text('task-7')).toBe('Do 7: in_progress');
  executor.say({ type: 'task-move', taskId: 'task-9', index: 0, by: 'user' });
  executor.write('More words.');
  await settle();
  expect(seen).toEqual(['task-7']);
  executor.say({ type: 'task-remove', taskId: 'task-7', by: 'user' });
  await expect.poll(() => page.text('task-7')).toBe('none');
  expect(seen).toEqual(['task-7', 'task-7']);
});

test('a selector that throws for a component that goes with the same state throws nothing', async () => {
  const { run, executor } = await startRun();
  executor.say({ type: 'task-add', task: { id: 'a', title: 'Pack', origin: 'author' }, index: 0 });
  await settle();
  const title = (state: RunState): string => state.tasks.find(({ id }) => id === 'a')!.title;
  const Row = (): ReactElement => <p data-testid="title">{useRun(run, title)}</p>;
  function Rows(): ReactElement {
    const tasks = useRun(run, (state) => state.tasks);
    return (
      <div data-testid="rows">
        {tasks.map(({ id }) => (
          <Row key={id} />
        ))}
      </div>
    );
  }
  const page = mount(<Rows />);
  await expect.poll(() => page.text('title')).toBe('Pack');
  const thrown: unknown[] = [];
  const note = (event: ErrorEvent): void => {
    event.preventDefault();
    thrown.push(event.error);
  };
  window.addEventListener('error', note);
  onTestFinished(() => window.removeEventListener('error', note));
  executor.say({ type: 'task-remove', taskId: 'a', by: 'user' });
  await expect.poll(() => page.text('rows')).toBe('');
  expect([...thrown, ...page.errors]).toEqual([]);
});

test('a countdown shows the same seconds in a component that mounts later', async () => {
  const retrying = { attempt: 1, maxAttempts: 3, delayMs: 10_000 } as RetryState;
  const shown: Record<string, number[]> = { first: [], second: [] };
  const Countdown = ({ name }: { name: string }): ReactElement => {
    const seconds = useRetryCountdown(retrying);
    shown[name]!.push(seconds!);
    return <p data-testid={name}>{seconds}</p>;
  };
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const page = mount(<Countdown name="first" />);
  await expect.poll(() => page.text('first')).toBe('10');
  vi.advanceTimersByTime(2_000);
  await expect.poll(() => page.text('first')).toBe('8');
  page.show(
    <>
      <Countdown name="first" />
      <Countdown name="second" />
    </>,
  );
  await expect.poll(() => page.text('second')).toBe('8');
  vi.advanceTimersByTime(1_000);
  await expect.poll(() => [page.text('first'), page.text('second')]).toEqual(['7', '7']);
  expect(Math.max(...shown.second!)).toBe(8);
});
