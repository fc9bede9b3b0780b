import { definePrompt, type Run } from '@cueline/core';
import { usePrompt, useTask } from '@cueline/react';
import { useEffect, type ReactElement } from 'react';
import { manualExecutor, type ManualExecutor } from '../support/executors.ts';
import { frame, openStage, until, type Figures } from './page-root.ts';

const answer = definePrompt('answer', () => {});

/** Gives the run 1,000 deltas, a few in each frame. */
async function writeText(executor: ManualExecutor): Promise<void> {
  for (let delta = 0; delta < 1_000; delta++) {
    executor.write('word ');
    if (delta % 20 === 0) await frame();
  }
}

type CountedProps = { executor: ManualExecutor; rendered: (name: string) => void };

function Status({ executor, rendered }: CountedProps): ReactElement {
  const { start, status } = usePrompt(answer, { executor, watch: ['status'] });
  rendered('status');
  useEffect(() => void start(undefined, { key: 'first' }), [start]);
  return <p id="status">{status}</p>;
}

/** A component that reads only `status`, in a run of 1,000 deltas. */
export async function statusOnly(): Promise<Figures> {
  const stage = openStage();
  const executor = manualExecutor();
  let renders = 0;
  const rendered = (): void => void (renders += 1);
  stage.show(<Status executor={executor} rendered={rendered} />);
  await until('a start', () => executor.requests.length === 1);
  await writeText(executor);
  executor.finish();
  await until('the end', () => stage.text('status') === 'done');
  stage.clear();
  return { renders };
}

function Task({
  run,
  id,
  rendered,
}: {
  run: Run;
  id: string;
  rendered: (name: string) => void;
}): ReactElement {
  const task = useTask(run, id);
  rendered(id);
  return <p id={id}>{task?.status ?? 'none'}</p>;
}

function Tasks({ executor, rendered }: CountedProps): ReactElement {
  const { start, run } = usePrompt(answer, { executor, watch: false });
  rendered('list');
  useEffect(() => void start(undefined, { key: 'first' }), [start]);
  return (
    <>
      <Task run={run} id="first" rendered={rendered} />
      <Task run={run} id="second" rendered={rendered} />
    </>
  );
}

/** Two components with a task each, and one around them that watches nothing: how often each renders for what happens. */
export async function tasksOnly(): Promise<Record<'mounted' | 'text' | 'firstTask' | 'secondTask', Figures>> {
  const stage = openStage();
  const executor = manualExecutor();
  let renders: Record<string, number> = {};
  const rendered = (name: string): void => void (renders[name] = (renders[name] ?? 0) + 1);
  const counted = async (what: () => void | Promise<void>): Promise<Figures> => {
    renders = { list: 0, first: 0, second: 0 };
    await what();
    return renders;
  };
  const work = async (taskId: string): Promise<void> => {
    executor.say({ type: 'task-update', taskId, by: 'model', status: 'in_progress' });
    await until('a task in progress', () => stage.text(taskId) === 'in_progress');
  };

  const mounted = await counted(async () => {
    stage.show(<Tasks executor={executor} rendered={rendered} />);
    await until('a start', () => executor.requests.length === 1);
    for (const [index, id] of ['first', 'second'].entries()) {
      executor.say({ type: 'task-add', task: { id, title: `The ${id}`, origin: 'author' }, index });
    }
    await until('two tasks', () => stage.text('first') === 'pending' && stage.text('second') === 'pending');
  });
  const text = await counted(() => writeText(executor));
  const firstTask = await counted(() => work('first'));
  const secondTask = await counted(() => work('second'));
  executor.finish();
  stage.clear();
  return { mounted, text, firstTask, secondTask };
}
