import { definePrompt } from '@cueline/core';
import { usePrompt, useRun, useTask, useTaskList, type AnyRun } from '@cueline/react';
import { useState, type ReactElement } from 'react';

// #region own
export function Chores(): ReactElement {
  const chores = useTaskList(['Find three flats', 'Write to their owners']);
  const { done, total } = chores.progress;
  const running = chores.status === 'running';
  const fault = useRun(chores.run, (state) => state.error?.message);
  return (
    <section>
      <button onClick={() => void chores.start()}>Begin</button>
      {fault !== undefined && <p role="alert">{fault}</p>}
      <p>{chores.isComplete ? 'All done' : `${done} of ${total}, now: ${chores.current?.title}`}</p>
      <ul>
        {chores.tasks.map(({ id, title, status, result }) => (
          <li key={id}>
            {title}: {result ?? status}{' '}
            <button disabled={!running} onClick={() => void chores.skip(id)}>
              Skip “{title}”
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
// #endregion

// #region shown
const moveHouse = definePrompt('move-house', (prompt) => {
  prompt.defDynamicTaskList(); // a list that the model makes and works through
  prompt.$`Help me move house.`;
});

export function Move(): ReactElement {
  const { run, start } = usePrompt(moveHouse, { watch: false });
  return (
    <section>
      <button onClick={() => void start()}>Help me move</button>
      <TaskBoard run={run} />
    </section>
  );
}

function TaskBoard({ run }: { run: AnyRun }): ReactElement {
  const { tasks, add } = useTaskList(run);
  const [fault, setFault] = useState('');
  async function addTask(): Promise<void> {
    const reply = await add('Tell the post office');
    setFault(reply.accepted ? '' : reply.reason);
  }
  return (
    <>
      {tasks.map(({ id }) => (
        <TaskRow key={id} run={run} taskId={id} />
      ))}
      <button onClick={() => void addTask()}>And the post office</button>
      {fault !== '' && <p role="alert">{fault}</p>}
    </>
  );
}

/** Renders only when its own task changes. */
function TaskRow({ run, taskId }: { run: AnyRun; taskId: string }): ReactElement {
  const task = useTask(run, taskId);
  return <p>{`${task?.title}: ${task?.status}`}</p>;
}
// #endregion
