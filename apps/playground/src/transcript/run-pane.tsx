import { usePlayground } from '../state/store.ts';
import { useRunState } from '../state/use-run-state.ts';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { EmptyRun } from './empty-run.tsx';
import { LiveRegion } from './live-region.tsx';
import { NotShown } from './not-shown.tsx';
import { ReplyBox } from './reply-box.tsx';
import { RunBar } from './run-bar.tsx';
import { Transcript } from './transcript.tsx';

/** The run: how it stands, what it says, and a reply once it is done. */
export function RunPane() {
  const id = usePlayground((state) => state.session?.id);
  return (
    <section aria-label="Run" className="flex min-h-0 flex-1 flex-col bg-page">
      <ErrorBoundary
        retryKey={id}
        fallback={
          <div className="p-5">
            <NotShown />
          </div>
        }
      >
        <RunContent />
      </ErrorBoundary>
    </section>
  );
}

function RunContent() {
  const session = usePlayground((state) => state.session);
  const state = useRunState(session?.run);
  return (
    <>
      <RunBar session={session} state={state} />
      {session === undefined ? <EmptyRun /> : <Transcript key={session.id} session={session} state={state} />}
      {session !== undefined && <ReplyBox status={state.status} />}
      <LiveRegion state={state} />
    </>
  );
}
