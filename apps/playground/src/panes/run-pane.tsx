import { isUnderWay, type RunState } from '@cueline/core';
import { useTaskList } from '@cueline/react';
import { useCallback, useRef, type ReactNode } from 'react';
import { ApprovalDock } from '../approval/approval-dock.tsx';
import { useShownRun } from '../state/shown-run.ts';
import type { RunSession } from '../state/store.ts';
import { currentSession, usePlayground } from '../state/store.ts';
import { useNarrow } from '../state/theme.ts';
import { TaskPanel } from '../tasks/task-panel.tsx';
import { PastBar } from './past-bar.tsx';
import { InterruptedBar } from './interrupted-bar.tsx';
import { SharedRunBar } from './shared-run-bar.tsx';
import { Announce } from '../ui/announce.tsx';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { announcement } from '../transcript/announcement.ts';
import { NotShown } from '../transcript/content/not-shown.tsx';
import { ReplyBox } from '../transcript/reply-box.tsx';
import { RunBar } from './run-bar.tsx';
import { Transcript } from '../transcript/transcript.tsx';

/** The run: its status, its transcript, and a reply once it is done. `empty` is shown before the first run. */
export function RunPane({ empty }: { empty: ReactNode }) {
  const id = usePlayground((state) => currentSession(state)?.id);
  const pane = useRef<HTMLElement>(null);
  const focusPane = useCallback(() => pane.current?.focus(), []);
  return (
    <section
      ref={pane}
      tabIndex={-1}
      aria-label="Run"
      className="flex min-h-0 flex-1 flex-col bg-page outline-none"
    >
      <ErrorBoundary
        retryKey={id}
        fallback={
          <div className="p-5">
            <NotShown />
          </div>
        }
      >
        <RunContent onAnswered={focusPane} empty={empty} />
      </ErrorBoundary>
    </section>
  );
}

function asks(state: RunState): boolean {
  return state.status === 'waiting' && isUnderWay(state);
}

/** True if the run broke off because its page was closed. */
function isInterrupted(state: RunState): boolean {
  return state.status === 'error' && state.error.code === 'interrupted';
}

function RunContent({ onAnswered, empty }: { onAnswered: () => void; empty: ReactNode }) {
  const session = usePlayground(currentSession);
  const restoring = usePlayground((state) => state.restoring);
  const shown = useShownRun(session);
  const { state, isPast } = shown;
  return (
    <>
      <RunBar session={session} state={state} isPast={isPast} />
      {isPast ? <PastBar elapsed={state.elapsed} /> : session?.shared === true && <SharedRunBar />}
      {!isPast && session?.shared === false && isInterrupted(state) && <InterruptedBar />}
      {session !== undefined &&
        (isPast ? (
          <Tasks session={session} tasks={state.tasks} underWay={false} />
        ) : (
          <RunTasks key={`tasks-${session.id}`} session={session} underWay={isUnderWay(state)} />
        ))}
      {session === undefined ? (
        restoring ? (
          <p role="status" className="p-6 text-ink-2">
            Opening your last run…
          </p>
        ) : (
          empty
        )
      ) : (
        <Transcript key={session.id} session={session} shown={shown} />
      )}
      {session !== undefined && !isPast && (
        <ApprovalDock run={session.run} state={state} onAnswered={onAnswered} />
      )}
      {session?.shared === false && !isPast && <ReplyBox status={state.status} asks={asks(state)} />}
      <Announce words={announcement(state)} />
    </>
  );
}

/** The tasks of the run itself; nothing without tasks. */
function RunTasks({ session, underWay }: { session: RunSession; underWay: boolean }) {
  const { tasks } = useTaskList(session.run);
  return <Tasks session={session} tasks={tasks} underWay={underWay} />;
}

type TasksProps = { session: RunSession; tasks: RunState['tasks']; underWay: boolean };

function Tasks({ session, tasks, underWay }: TasksProps) {
  const narrow = useNarrow();
  if (tasks.length === 0) return null;
  return (
    <TaskPanel
      run={session.run}
      tasks={tasks}
      underWay={underWay}
      origin={session.startedAt}
      open={!narrow}
      className="shrink-0 border-b border-line bg-panel"
    />
  );
}
