import { Check, Link2 } from 'lucide-react';
import { useMemo } from 'react';
import { logWithoutServers } from '../model/without-servers.ts';
import { useInspection } from '../state/inspection.ts';
import { usePlayground, type RunSession } from '../state/store.ts';
import { useRunning } from '../state/use-running.ts';
import { Button } from '../ui/button.tsx';
import { useCopied } from '../ui/copy-button.tsx';
import { Tip } from '../ui/tip.tsx';
import { makeShareLink } from './link.ts';
import { knownShortLink } from './short-links.ts';
import { linkedStepOf, makeStepLink } from './step-link.ts';

/** The number of events up to which the page tries to fit a run into a link. */
const MAX_EVENTS = 3_000;

/** Copies a link to the selected step. Shown only if the run has ended and has a link or fits into one. */
export function CopyStepLink({ session }: { session: RunSession }) {
  const running = useRunning();
  const step = useInspection(({ selection }) => linkedStepOf(selection, session));
  if (running || step === undefined || !('script' in session.source)) return null;
  return <CopyButton session={session} script={session.source.script} step={step} />;
}

function CopyButton({ session, script, step }: { session: RunSession; script: string; step: number }) {
  const link = useMemo(() => linkTo(session, script), [session, script]);
  const [copied, copy] = useCopied('Copy the link to the run from Share instead.');
  if (link === undefined) return null;
  const label = `Copy link to step ${step + 1}`;
  return (
    <Tip text={copied ? 'Copied' : label}>
      <Button square aria-label={label} onClick={() => void copy(makeStepLink(link, step))}>
        {copied ? <Check className="text-ok" /> : <Link2 />}
      </Button>
    </Tip>
  );
}

/** The link to a run with its script: the link that was opened, one that holds the whole run, or its short link. */
function linkTo({ run, link: opened }: RunSession, script: string): string | undefined {
  const page = location.origin + location.pathname;
  if (opened !== undefined) return page + opened;
  const log = run.log();
  if (log.length > MAX_EVENTS) return undefined;
  const { connection } = usePlayground.getState();
  const { url, ...link } = makeShareLink({ script, log: logWithoutServers(log, connection) }, page);
  if (url === undefined) return undefined;
  return 'advice' in link && link.advice !== 'too-long' ? url : knownShortLink(new URL(url).hash)?.url;
}
