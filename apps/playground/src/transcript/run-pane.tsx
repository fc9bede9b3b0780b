import { usePlayground } from '../state/store.ts';
import { useRunState } from '../state/use-run-state.ts';
import { EmptyRun } from './empty-run.tsx';
import { LiveRegion } from './live-region.tsx';
import { ReplyBox } from './reply-box.tsx';
import { RunBar } from './run-bar.tsx';
import { Transcript } from './transcript.tsx';

/** The run: how it stands, what it says, and a reply once it is done. */
export function RunPane() {
  const session = usePlayground((state) => state.session);
  const state = useRunState(session?.run);
  return (
    <section aria-label="Run" className="flex min-h-0 flex-1 flex-col bg-page">
      <RunBar session={session} state={state} />
      {session === undefined ? <EmptyRun /> : <Transcript key={session.id} session={session} state={state} />}
      {session !== undefined && <ReplyBox ready={state.status === 'done'} />}
      <LiveRegion state={state} />
    </section>
  );
}
