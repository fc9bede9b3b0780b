import type { RunEvent, TaskState } from '@cueline/core';
import { useMemo, type ReactNode } from 'react';
import { DefinitionName } from '../../request/definition-name.tsx';
import { logOf, statesOf, type ShownRun } from '../../state/shown-run.ts';
import type { RunSession } from '../../state/store.ts';
import { attemptCount, statusLabel } from '../../tasks/task-labels.ts';
import { taskStarts } from '../../tasks/task-times.ts';
import { formatCount, formatDuration, plural } from '../../ui/format.ts';
import { LongText } from '../../ui/long-text.tsx';
import { FactList, EmptyText, Section } from '../../ui/section.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { promptsInTurns, type PromptInTurn } from './prompt-steps.ts';
import { StepRow } from './step-row.tsx';
import { stepsOfTasks, type TaskSteps } from './tasks-of-steps.ts';

/** How many tasks and tools are drawn. */
const MAX_TASKS = 200;
const MAX_TOOLS = 50;
/** How much of a result is drawn at first, in characters. */
const FIRST_CHARACTERS = 500;

type TaskListViewProps = { session: RunSession; shown: ShownRun; agent: string | undefined };

/** The tasks of a list: the state, times, steps and own tools of each. */
export function TaskListView({ session, shown, agent }: TaskListViewProps) {
  const prompt = promptsInTurns(statesOf(shown), agent).findLast(({ work }) => work.tasks.length > 0);
  if (prompt === undefined) {
    return <p className="px-4 py-2 text-ink-2 narrow:px-3">There are no tasks at this moment.</p>;
  }
  return <Tasks prompt={prompt} shown={shown} log={logOf(session, prompt.turn)} />;
}

type TasksProps = { prompt: PromptInTurn; shown: ShownRun; log: readonly RunEvent[] };

function Tasks({ prompt, shown, log }: TasksProps) {
  const { turn, path, work } = prompt;
  const { tasks, steps } = work;
  const until = turn === shown.turn ? shown.state.seq : Infinity;
  const ofTasks = useMemo(
    () => stepsOfTasks(log, path, steps, until),
    // a task changes only between two steps or in one
    // oxlint-disable-next-line react/exhaustive-deps
    [log, path, steps.length, tasks],
  );
  const starts = taskStarts(tasks, steps[0]?.startedAt);
  return (
    <>
      {tasks.slice(0, MAX_TASKS).map((task) => (
        <Section
          key={task.id}
          title={visibleText(task.title.slice(0, 60))}
          hint={statusLabel[task.status]}
          open={tasks.length <= 10}
        >
          <Task
            task={task}
            since={starts.get(task.id)}
            steps={ofTasks.get(task.id)}
            within={prompt}
            shown={shown}
          />
        </Section>
      ))}
      {tasks.length > MAX_TASKS && (
        <p className="px-4 py-2 text-ink-3 narrow:px-3">
          {plural(tasks.length - MAX_TASKS, 'task')} more are not shown here.
        </p>
      )}
    </>
  );
}

type TaskProps = {
  task: TaskState;
  /** When the work on the task began, in milliseconds since the run started. */
  since: number | undefined;
  steps: TaskSteps | undefined;
  within: PromptInTurn;
  shown: ShownRun;
};

function Task({ task, since, steps, within, shown }: TaskProps) {
  const { steps: own = [], tools = [] } = steps ?? {};
  return (
    <>
      <FactList rows={factsOf(task, since)} />
      {own.length === 0 ? (
        <EmptyText>No step has worked on it yet.</EmptyText>
      ) : (
        <ol aria-label="Steps of the task">
          {own.map(({ step, startedAt }) => (
            <li key={`${step} ${startedAt}`}>
              <StepRow turn={within.turn} path={within.path} step={step} shown={shown}>
                at {formatDuration(startedAt)}
              </StepRow>
            </li>
          ))}
        </ol>
      )}
      {tools.length > 0 && (
        <>
          <p className="mt-1 text-xs font-medium text-ink-3">Tools that only this task has</p>
          <ul aria-label="Tools of the task" className="flex flex-wrap gap-x-3">
            {tools.slice(0, MAX_TOOLS).map(({ name }, index) => (
              <li key={index} className="min-w-0">
                <DefinitionName kind="tool" name={name} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

const origins = { author: 'The script', model: 'The model', user: 'You' } as const;

function factsOf(task: TaskState, since: number | undefined): { name: string; value: ReactNode }[] {
  const { title, status, origin, finishedAt, result, error, hasValidation } = task;
  const attempts = attemptCount(task);
  const text = (value: string): ReactNode => <LongText text={visibleText(value)} atOnce={FIRST_CHARACTERS} />;
  return [
    ...(title.length > 60 ? [{ name: 'Task', value: text(title) }] : []),
    { name: 'State', value: statusLabel[status] },
    { name: 'Added by', value: origins[origin] },
    ...(hasValidation === true ? [{ name: 'Result', value: 'Checked by the script' }] : []),
    ...(attempts === 0 ? [] : [{ name: 'Attempts', value: formatCount(attempts) }]),
    ...(since === undefined ? [] : [{ name: 'Begun', value: `at ${formatDuration(since)}` }]),
    ...(since === undefined || finishedAt === undefined
      ? []
      : [{ name: 'Took', value: formatDuration(Math.max(0, finishedAt - since)) }]),
    ...(result === undefined ? [] : [{ name: 'Result', value: text(result) }]),
    ...(error === undefined ? [] : [{ name: 'Feedback', value: text(error) }]),
  ];
}
