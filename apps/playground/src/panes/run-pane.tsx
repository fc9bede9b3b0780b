import { isPending, isInProgress, type RunState } from '@cueline/core';
import { useTaskList } from '@cueline/react';
import { Fragment, useCallback, useEffect, useRef, type ReactNode, type RefObject } from 'react';
import { attach } from '../state/attachments.ts';
import { allPending } from '../state/pending.ts';
import { usePreview } from '../state/preview.ts';
import { viewOf } from '../state/reply-draft.ts';
import { useRunAt, useShownRun } from '../state/shown-run.ts';
import type { RunSession } from '../state/store.ts';
import { currentSession, usePlayground } from '../state/store.ts';
import { useNarrow } from '../state/theme.ts';
import { announcement } from '../transcript/announcement.ts';
import { NotShown } from '../transcript/content/not-shown.tsx';
import { FileDrop } from '../transcript/file-drop.tsx';
import { ReplyBox } from '../transcript/reply-box.tsx';
import { Announce } from '../ui/announce.tsx';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { InterruptedBar } from './interrupted-bar.tsx';
import { ApprovalDock, PastBar, SessionForks, SharedRunBar, TaskPanel, Transcript } from './lazy-panes.tsx';
import { RecordingBar } from './recording-bar.tsx';
import { RunBar } from './run-bar.tsx';
import { ScriptChangedBar } from './script-changed-bar.tsx';

type RunPaneProps = {
  /** Shown before the first run. */
  empty: ReactNode;
  /** The form of the input, or a note about it, above the run. */
  input?: ReactNode;
  /** The preview of the request, in place of the run while it is open. */
  preview?: ReactNode;
  /** Puts the script of a run into the editor; missing where no scripts run. */
  onOpenScript?: (session: RunSession) => void;
};

/** The run: its status, its transcript, and a reply once it is done. */
export function RunPane(props: RunPaneProps) {
  const id = usePlayground((state) => currentSession(state)?.id);
  const pane = useRef<HTMLElement>(null);
  const focusPane = useCallback(() => pane.current?.focus(), []);
  useEffect(() => {
    // the button that opened a run of an eval is gone, and the focus with it
    const isOfEval = currentSession(usePlayground.getState())?.ofEval === true;
    if (isOfEval && document.activeElement === document.body) focusPane();
  }, [focusPane]);
  return (
    <section
      ref={pane}
      tabIndex={-1}
      aria-label="Run"
      // in a short window, the bars and lists above the transcript would leave it no room
      className="relative flex min-h-0 flex-1 flex-col bg-page short:overflow-y-auto"
    >
      <h2 className="sr-only">Run</h2>
      <ErrorBoundary
        retryKey={id}
        fallback={
          <div className="p-5">
            <NotShown />
          </div>
        }
      >
        <RunContent pane={pane} onAnswered={focusPane} {...props} />
      </ErrorBoundary>
    </section>
  );
}

function asks(state: RunState): boolean {
  return state.status === 'waiting' && isInProgress(state);
}

/** True if the run was interrupted because its page was closed. */
function isInterrupted(state: RunState): boolean {
  return state.status === 'error' && state.error.code === 'interrupted';
}

type RunContentProps = RunPaneProps & { pane: RefObject<HTMLElement | null>; onAnswered: () => void };

function RunContent({ pane, onAnswered, empty, input, preview, onOpenScript }: RunContentProps) {
  const session = usePlayground(currentSession);
  const restoring = usePlayground((state) => state.restoring);
  const loadingRecording = usePlayground((state) => state.loadingRecording);
  const shown = useShownRun(session);
  const { state, isPast } = shown;
  const { state: now } = useRunAt(session, undefined);
  const previews = usePreview(({ open }) => open) && preview !== undefined;
  const canReply = session?.shared === false && !isPast && !previews;
  const run = session?.run;
  const view = session === undefined ? 'script' : viewOf(session.source);
  const onFiles = useCallback(
    (files: readonly File[]) => void attach(view, files, run?.getState().messages ?? []),
    [run, view],
  );
  return (
    <>
      <RunBar session={session} shown={shown} hasPreview={preview !== undefined} />
      {session !== undefined && <SessionForks session={session} />}
      {input}
      {isPast ? (
        <PastBar
          session={session}
          turn={shown.turn}
          seq={state.seq}
          elapsed={state.elapsed}
          waits={asks(now) && allPending(now).some(isPending)}
        />
      ) : session?.recorded === true ? (
        <RecordingBar session={session} ended={!isInProgress(state)} />
      ) : (
        session?.shared === true && <SharedRunBar ofEval={session.ofEval === true} />
      )}
      {!isPast && session?.shared === false && isInterrupted(state) && (
        <InterruptedBar hasSteps={state.steps.length > 0} />
      )}
      {session !== undefined && !isPast && session.recorded !== true && onOpenScript !== undefined && (
        <ScriptChangedBar session={session} ended={!isInProgress(state)} onOpen={onOpenScript} />
      )}
      {previews && preview}
      <div className={previews ? 'hidden' : 'contents'}>
        {session !== undefined ? (
          <Fragment key={session.id}>
            <RunTasks session={session} state={state} isPast={isPast} />
            <Transcript session={session} />
          </Fragment>
        ) : restoring ? (
          <p role="status" className="p-6 text-ink-2">
            Opening your last run…
          </p>
        ) : (
          !loadingRecording && empty
        )}
      </div>
      {session !== undefined && allPending(now).length > 0 && (
        // an earlier moment only hides it: unmounted, it would lose what the user has written
        <ApprovalDock run={session.run} state={now} hidden={isPast} onAnswered={onAnswered} />
      )}
      {canReply && (
        <ReplyBox
          run={session.run}
          view={view}
          status={state.status}
          turn={shown.turn}
          asks={asks(state)}
          onFiles={onFiles}
        />
      )}
      <FileDrop pane={pane} onFiles={canReply && state.status === 'done' ? onFiles : undefined} />
      {/* the run continues while an earlier moment is shown */}
      <Announce text={announcement(now)} />
    </>
  );
}

/** The tasks of the run itself; nothing without tasks. */
function RunTasks({ session, state, isPast }: { session: RunSession; state: RunState; isPast: boolean }) {
  const narrow = useNarrow();
  const { tasks: now } = useTaskList(session.run);
  const tasks = isPast ? state.tasks : now;
  const inProgress = !isPast && isInProgress(state);
  if (tasks.length === 0) return null;
  return (
    <TaskPanel
      run={session.run}
      tasks={tasks}
      inProgress={inProgress}
      isPast={isPast}
      clock={session.clock}
      begunAt={state.steps[0]?.startedAt}
      until={inProgress ? undefined : state.elapsed}
      open={!narrow}
      className="shrink-0 border-b border-line bg-panel"
    />
  );
}
