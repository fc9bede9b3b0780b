import { definePrompt, type EditReply } from '@cueline/core';
import { scriptedModel, type ScriptedModel } from '@cueline/core/testing';
import {
  useTaskList,
  type OwnTaskList,
  type SharedRun,
  type TaskListView,
  type UseTaskListOptions,
  usePrompt,
} from '@cueline/react';
import { StrictMode, useEffect, useLayoutEffect, type ReactElement } from 'react';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { manualExecutor } from './support/executors.ts';
import { mount, settle, watchConsole, type Mounted } from './support/mount.tsx';

const moveHouse = definePrompt('move-house', (prompt) => {
  prompt.defTaskList(['Find a flat', 'Pack', 'Paint'].map((task) => ({ task })));
  prompt.$`Help me move.`;
});

const complete = (result: string) => [{ toolCall: { name: 'finishTask', input: { result } } }];
const titlesOf = ({ tasks }: TaskListView): string[] =>
  tasks.map(({ title, status }) => `${title}: ${status}`);

/** Both hooks on one run that says what the test lets it. */
async function showList(model: ScriptedModel): Promise<{
  page: Mounted;
  lists: TaskListView[];
  list: () => TaskListView;
  run: () => SharedRun<void>;
}> {
  const lists: TaskListView[] = [];
  let held: SharedRun<void> | undefined;
  function List(): ReactElement {
    const { run } = usePrompt(moveHouse, { model, watch: false });
    const list = useTaskList(run);
    useLayoutEffect(() => {
      held = run as unknown as SharedRun<void>;
      lists.push(list);
    }, [run, list]);
    return <p data-testid="shown">{`${list.status}: ${list.current?.title ?? 'nothing'}`}</p>;
  }
  const page = mount(<List />);
  await expect.poll(() => lists.length).toBe(1);
  return { page, lists, list: () => lists.at(-1)!, run: () => held! };
}

test('before a run there are no tasks, and an edit is refused with a reason', async () => {
  const { list } = await showList(scriptedModel(['Never said.']));
  expect(list()).toMatchObject({
    tasks: [],
    current: undefined,
    progress: { done: 0, total: 0, ratio: 0 },
    isComplete: false,
    status: 'idle',
  });
  expect(await list().add('Buy boxes')).toEqual({ accepted: false, reason: 'The run is not in progress.' });
});

test('every action changes the list, and an impossible one returns a reason', async () => {
  const model = scriptedModel([[{ delay: 60_000 }, 'Never said.']]);
  const { page, list, run } = await showList(model);
  void run().start();
  await expect.poll(() => page.text('shown')).toBe('running: Find a flat');
  const moves: [string, () => Promise<EditReply>, string[]][] = [
    ['add at the end', () => list().add('Sleep'), ['Find a flat', 'Pack', 'Paint', 'Sleep']],
    [
      'add at a place',
      () => list().add('Buy boxes', 1),
      ['Find a flat', 'Buy boxes', 'Pack', 'Paint', 'Sleep'],
    ],
    [
      'rename',
      () => list().rename('task-2', 'Pack all'),
      ['Find a flat', 'Buy boxes', 'Pack all', 'Paint', 'Sleep'],
    ],
    ['move', () => list().move('task-3', 2), ['Find a flat', 'Buy boxes', 'Paint', 'Pack all', 'Sleep']],
    ['remove', () => list().remove('task-4'), ['Find a flat', 'Buy boxes', 'Paint', 'Pack all']],
  ];
  for (const [name, move, titles] of moves) {
    expect(await move(), name).toEqual({ accepted: true });
    await expect.poll(() => list().tasks.map(({ title }) => title), { message: name }).toEqual(titles);
  }
  expect(await list().skip('task-3', 'no paint')).toEqual({ accepted: true });
  expect(await list().resolve('task-2', 'All is packed.')).toEqual({ accepted: true });
  await expect
    .poll(() => list().tasks.map(({ status, error, result }) => [status, error, result]))
    .toEqual([
      ['pending', undefined, undefined],
      ['pending', undefined, undefined],
      ['skipped', 'no paint', undefined],
      ['completed', undefined, 'All is packed.'],
    ]);
  expect(list().progress).toEqual({ done: 2, total: 4, ratio: 0.5 });
  expect(await list().retry('task-3')).toEqual({ accepted: true });
  await expect.poll(() => list().progress.done).toBe(1);
  expect(list().tasks.map(({ origin }) => origin)).toEqual(['author', 'user', 'author', 'author']);

  const refused: [() => Promise<EditReply>, string][] = [
    [() => list().add(' '), 'title'],
    [() => list().rename('task-99', 'Fly'), 'task-99'],
    [() => list().remove('task-99'), 'task-99'],
    [() => list().move('task-2', 1.5), 'whole number'],
    [() => list().retry('task-5'), 'It can be renamed, removed, moved, skipped or resolved.'],
  ];
  for (const [move, reason] of refused) {
    expect(await move()).toEqual({ accepted: false, reason: expect.stringContaining(reason) });
  }
});

test('progress, current and isComplete follow the work, and text causes no render', async () => {
  const model = scriptedModel(
    [
      [{ text: 'word '.repeat(50), chunkSize: 5 }, ...complete('Found.')],
      complete('Packed.'),
      complete('Painted.'),
      'All done.',
    ],
    { delay: 4 },
  );
  const { page, lists, list, run } = await showList(model);
  await run().start();
  await expect.poll(() => page.text('shown')).toBe('done: nothing');
  expect(list()).toMatchObject({
    progress: { done: 3, total: 3, ratio: 1 },
    isComplete: true,
    status: 'done',
    tasks: [{ result: 'Found.' }, { result: 'Packed.' }, { result: 'Painted.' }],
  });
  expect(lists.map(({ progress }) => progress.done)).toEqual(
    lists.map(({ progress }) => progress.done).toSorted((one, other) => one - other),
  );
  // idle, running, and at most three for each task: its beginning, its validation and its end
  expect(lists.length).toBeLessThanOrEqual(2 + 3 * 3 + 1);
  const [first] = lists;
  expect(list().skip).toBe(first?.skip);
});

type OwnProps = UseTaskListOptions & { tasks: string[]; seen: (list: OwnTaskList) => void };

function Own({ tasks, seen, ...options }: OwnProps): ReactElement {
  const list = useTaskList(tasks, options);
  useLayoutEffect(() => {
    seen(list);
  }, [seen, list]);
  return <p data-testid="shown">{`${list.status}: ${titlesOf(list).join(', ')}`}</p>;
}

test('a list that owns its run shows its tasks before the start', async () => {
  const lists: OwnTaskList[] = [];
  const page = mount(
    <StrictMode>
      <Own
        tasks={[' Find a flat ', 'Pack']}
        model={scriptedModel([complete('Found.'), complete('Packed.'), 'All done.'])}
        seen={(list) => void lists.push(list)}
      />
    </StrictMode>,
  );
  await expect.poll(() => page.text('shown')).toBe('idle: Find a flat: pending, Pack: pending');
  expect(lists.at(-1)).toMatchObject({
    current: { id: 'task-1' },
    progress: { done: 0, total: 2, ratio: 0 },
    isComplete: false,
  });
  const before = lists.at(-1)!.tasks;
  expect(before).toEqual([
    { id: 'task-1', title: 'Find a flat', status: 'pending', attempts: 0, origin: 'author', seq: -1 },
    { id: 'task-2', title: 'Pack', status: 'pending', attempts: 0, origin: 'author', seq: -1 },
  ]);
  await expect(lists.at(-1)?.start()).resolves.toBe('All done.');
  await expect.poll(() => page.text('shown')).toBe('done: Find a flat: completed, Pack: completed');
  // nowhere on the way is the list empty, or any other than it will be
  expect(new Set(lists.map(({ tasks }) => tasks.map(({ id, title }) => `${id} ${title}`).join()))).toEqual(
    new Set(['task-1 Find a flat,task-2 Pack']),
  );
  expect(before.map(({ id }) => id)).toEqual(lists.at(-1)?.tasks.map(({ id }) => id));
});

test('tasks that change between renders are shown, and used by the next start', async () => {
  const model = scriptedModel([
    complete('Found.'),
    'Done.',
    complete('Flown.'),
    complete('Landed.'),
    'There.',
  ]);
  const lists: OwnTaskList[] = [];
  const seen = (list: OwnTaskList): void => void lists.push(list);
  const page = mount(<Own tasks={['Find a flat']} model={model} seen={seen} />);
  await expect.poll(() => page.text('shown')).toBe('idle: Find a flat: pending');
  await expect(lists[0]?.start()).resolves.toBe('Done.');
  await expect.poll(() => page.text('shown')).toBe('done: Find a flat: completed');
  page.show(<Own tasks={['Fly', 'Land']} model={model} seen={seen} />);
  await settle();
  // what has been done is still what is shown
  expect(page.text('shown')).toBe('done: Find a flat: completed');
  await expect(lists.at(-1)?.start()).resolves.toBe('There.');
  await expect.poll(() => page.text('shown')).toBe('done: Fly: completed, Land: completed');
  page.show(<Own key="other" tasks={['Fly']} model={model} seen={seen} />);
  await expect.poll(() => page.text('shown')).toBe('idle: Fly: pending');
  page.show(<Own key="other" tasks={['Fly', 'Land']} model={model} seen={seen} />);
  await expect.poll(() => page.text('shown')).toBe('idle: Fly: pending, Land: pending');
});

test('a render with the same tasks in a new array changes nothing', async () => {
  const lists: OwnTaskList[] = [];
  const seen = (list: OwnTaskList): void => void lists.push(list);
  const executor = manualExecutor();
  const show = (): ReactElement => <Own tasks={['Fly']} executor={executor} seen={seen} />;
  const page = mount(show());
  await settle();
  page.show(show());
  page.show(show());
  await settle();
  expect(lists).toHaveLength(1);
});

test('prompt adds more, and stop ends the work', async () => {
  const model = scriptedModel([[{ delay: 60_000 }, 'Never said.']]);
  const lists: OwnTaskList[] = [];
  const page = mount(
    <Own
      tasks={['Fly']}
      model={model}
      prompt={(prompt) => {
        prompt.defSystem('role', 'You fly.');
        prompt.$`Go on, fly.`;
      }}
      seen={(list) => void lists.push(list)}
    />,
  );
  await expect.poll(() => lists.length).toBe(1);
  const done = lists[0]?.start();
  await expect.poll(() => model.calls.length).toBe(1);
  lists.at(-1)?.stop();
  await expect(done).rejects.toMatchObject({ code: 'aborted' });
  await expect.poll(() => page.text('shown')).toContain('stopped: ');
  const said = JSON.stringify(model.calls[0]?.prompt);
  expect(said).toContain('You fly.');
  expect(said).toContain('Go on, fly.');
  expect(said).not.toContain('one after the other');
});

test('a task with a validation has its attempts counted, and maxAttempts ends the run', async () => {
  const lists: OwnTaskList[] = [];
  function Strict(): ReactElement {
    const list = useTaskList(
      [{ task: 'Add 5 and 3', validation: (result) => (result === '8' ? undefined : 'No.') }],
      {
        model: scriptedModel([complete('7'), complete('9')]),
        maxAttempts: 2,
      },
    );
    useEffect(() => void lists.push(list), [list]);
    return <p data-testid="shown">{titlesOf(list).join()}</p>;
  }
  const page = mount(<Strict />);
  await expect.poll(() => page.text('shown')).toBe('Add 5 and 3: pending');
  await expect(lists.at(-1)?.start()).rejects.toMatchObject({ code: 'tasks_incomplete' });
  await expect.poll(() => lists.at(-1)?.status).toBe('error');
  expect(lists.at(-1)?.tasks).toMatchObject([{ status: 'failed', attempts: 2, error: 'No.' }]);
});

test('the list of an agent is shown and edited by its path', async () => {
  let goOn = (): void => {};
  const isSkipped = new Promise<void>((resolve) => (goOn = resolve));
  const boss = definePrompt('boss', (prompt) => {
    prompt.defAgent('worker', '', z.object({}), (_args, own) => {
      own.defTaskList([{ task: 'Dig' }, { task: 'Plant' }]);
      own.defTool('wait', '', z.object({}), () => isSkipped);
      own.$`Work.`;
    });
    prompt.$`Go.`;
  });
  const skipped: Promise<EditReply>[] = [];
  const model = scriptedModel([
    [{ toolCall: { name: 'worker', id: 'w', input: {} } }],
    [{ toolCall: { name: 'wait', input: {} } }],
    complete('dug'),
    'Done.',
    'Done.',
  ]);
  const lists: TaskListView[] = [];
  function List(): ReactElement {
    const { run, start } = usePrompt(boss, { model, watch: false });
    const list = useTaskList(run, { agent: 'w' });
    useEffect(() => void start(undefined, { key: 'once' }), [start]);
    useEffect(() => {
      lists.push(list);
      const isWorking = list.current?.title === 'Dig' && list.tasks.length === 2;
      if (isWorking && skipped.length === 0) {
        skipped.push(list.skip('task-2'));
        goOn();
      }
    }, [list]);
    return <p data-testid="shown">{`${list.status}: ${titlesOf(list).join(', ')}`}</p>;
  }
  const page = mount(<List />);
  await expect.poll(() => page.text('shown')).toBe('done: Dig: completed, Plant: skipped');
  expect(await Promise.all(skipped)).toEqual([{ accepted: true }]);
  await expect
    .poll(() => lists.at(-1))
    .toMatchObject({ progress: { done: 2, total: 2, ratio: 1 }, isComplete: true });
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a text', 'Find a flat'],
  ['an object', { tasks: [] }],
  ['what usePrompt returns', { status: 'idle', run: {} }],
  ['a task with another name for its text', ['Pack', { title: 'Find a flat' }]],
  ['a list with an empty place', [null]],
])('%s instead of a run or tasks is an error that says what to write', async (_what, source) => {
  watchConsole();
  function Wrong(): ReactElement {
    return <p>{useTaskList(source as string[]).status}</p>;
  }
  const { errors } = mount(<Wrong />);
  await expect
    .poll(() => errors)
    .toMatchObject([
      {
        code: 'invalid_options',
        message: "useTaskList needs the run of usePrompt, or tasks: ['Pack'].",
      },
    ]);
});
