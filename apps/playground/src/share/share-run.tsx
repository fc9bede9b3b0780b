import { useMemo } from 'react';
import { useRunning } from '../state/use-running.ts';
import { usePlayground, type RunSession } from '../state/store.ts';
import { formatSize } from '../ui/format.ts';
import { LinkField } from './link-field.tsx';
import { makeShareLink } from './link.ts';
import { shareAddress } from './share-address.ts';
import { UploadLink } from './upload-link.tsx';
import { Warning } from './warning.tsx';

/** A run with its script: in the link if it fits, otherwise in the page's share store. */
export function ShareRun({ session }: { session: RunSession }) {
  const running = useRunning();
  if (running) {
    return (
      <p className="text-base text-ink-2">The run is still going on. It can be shared once it has ended.</p>
    );
  }
  return <EndedRun session={session} />;
}

function EndedRun({ session }: { session: RunSession }) {
  const script = 'script' in session.source ? session.source.script : '';
  const isEdited = usePlayground((state) => state.script !== script);
  const link = useMemo(
    () => makeShareLink({ script, log: session.run.log() }, location.origin + location.pathname),
    [session, script],
  );
  if (link.url === undefined) return <Warning>{link.problem}</Warning>;
  const fits = link.advice !== 'too-long';
  return (
    <>
      <p className="text-base text-ink-2">
        The script and the whole run: every message, tool call and answer, with approvals and changes of
        tasks.
        {isEdited && ' The script is the one that ran, not as you have edited it since.'}
        {session.earlier.length > 0 && ' Of earlier turns, the messages.'}
      </p>
      {fits ? (
        <>
          <LinkField label="Link to this run" url={link.url} />
          <p className="mt-2 text-sm text-ink-2" data-testid="link-size">
            All of it is in the link, which is {formatSize(link.size)} long. Nothing is uploaded.
          </p>
          {link.advice === 'long' && (
            <Warning>
              Some chat tools cut links of more than 4 KB. A cut link says so when it is opened.
            </Warning>
          )}
        </>
      ) : (
        shareAddress === undefined && (
          <Warning>
            This run takes {formatSize(link.size)}, too long for a link, and this page has no place to keep
            it. Share the script alone.
          </Warning>
        )
      )}
      {shareAddress !== undefined && (
        <UploadLink
          key={link.url}
          what="run"
          address={shareAddress}
          hash={new URL(link.url).hash}
          log={session.run.log()}
          only={!fits}
        />
      )}
    </>
  );
}
