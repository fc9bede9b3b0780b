import { useMemo } from 'react';
import { logWithoutServers } from '../model/without-servers.ts';
import { usePlayground, type RunSession } from '../state/store.ts';
import { useRunning } from '../state/use-running.ts';
import { SharePayload } from './share-payload.tsx';

/** A run with its script: in the link if it fits, otherwise in the page's share store. */
export function ShareRun({ session }: { session: RunSession }) {
  const running = useRunning();
  if (running) {
    return <p className="text-base text-ink-2">The run has not ended. It can be shared once it has.</p>;
  }
  return <EndedRun session={session} />;
}

function EndedRun({ session }: { session: RunSession }) {
  const script = 'script' in session.source ? session.source.script : '';
  const isEdited = usePlayground((state) => state.script !== script);
  const connection = usePlayground((state) => state.connection);
  const payload = useMemo(
    () => ({ script, log: logWithoutServers(session.run.log(), connection) }),
    [session, script, connection],
  );
  return (
    <SharePayload what="run" payload={payload}>
      The script and the whole run: every message, tool call and answer, with approvals and changes of tasks.
      {isEdited && ' The script is the one that ran, not the one in the editor.'}
      {session.earlier.length > 0 && ' Earlier turns are included as messages only.'}
      {payload.log !== session.run.log() && ' The address of the model server is left out.'}
    </SharePayload>
  );
}
