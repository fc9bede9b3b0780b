import { isInProgress } from '@cueline/core';
import { nextTask } from '../sandbox/time-slices.ts';
import { isOfLink } from '../state/open-script.ts';
import { openLinkedRun, showLinkedRun, showSession } from '../state/run-session.ts';
import { usePlayground } from '../state/store.ts';
import { makeShortLink, readLink, type OpenedLink } from './link.ts';
import { shareAddress } from './share-address.ts';
import { getShare, ShareError } from './share-store.ts';
import { rememberShortLink } from './short-links.ts';
import { selectLinkedStep } from './step-link.ts';

/**
 * Opens the link in the address bar, now and whenever one is pasted there. A script goes into the editor and never
 * runs by itself; a run is shown as it was. The link stays in the address, so that a reload shows the same again,
 * until what it opened is edited or another run is shown. So does a link whose store does not answer, as long as the
 * page offers to try it again. `opened` resolves to false if the page has no link now, or refuses it. `isLoading`:
 * the page was loaded with its link.
 */
export function followLinks(page: { isLoading: boolean }): {
  opened: Promise<boolean>;
  stop: () => void;
} {
  let latest = new AbortController();
  /** True until the user goes back from the link with which the page was loaded. */
  let { isLoading } = page;
  /** Show again what the links have replaced, beside the script; the latest link is the first. */
  let goBacks: readonly GoBack[] = [];
  const open = async (): Promise<boolean> => {
    const link = readLink(location.hash);
    latest.abort();
    if (link.kind === 'none') return false;
    latest = new AbortController();
    const { signal } = latest;
    const isAfterLink = isLoading || goBacks.length > 0;
    const opened = await follow(link, { signal, isAfterLink, tryAgain: () => void open() });
    const isRefused = usePlayground.getState().notice?.kind === 'refused';
    if (signal.aborted) return !isRefused;
    if (opened !== undefined) goBacks = [opened.goBack, ...goBacks];
    keepAddress(signal, () => (goBacks = []), opened?.watchEdits);
    return !isRefused;
  };
  const onHash = (): void => {
    void open();
    // a page that opens without a link keeps the script of one that has run
    if (readLink(location.hash).kind !== 'none') return;
    leaveLink();
    for (const goBack of goBacks) goBack(isLoading);
    goBacks = [];
    // a page that loads with a link does not show the runs of the last visit
    if (isLoading) void import('../history/history.ts').then(({ restoreRuns }) => restoreRuns());
    isLoading = false;
  };
  const opened = open();
  addEventListener('hashchange', onHash);
  return {
    opened,
    stop() {
      latest.abort();
      removeEventListener('hashchange', onHash);
    },
  };
}

/** The user has gone back to the page without the link: shows its script again, unless they have edited the link's. */
function leaveLink(): void {
  const { notice, openScript, scriptBeforeLink, openText } = usePlayground.getState();
  if (notice?.kind === 'opening') usePlayground.setState({ notice: undefined });
  if (isOfLink(openScript) && scriptBeforeLink !== undefined) openText(scriptBeforeLink);
}

/** Subscribes to the edits of what a link has opened, beside those of the script. */
type WatchEdits = (listener: () => void) => () => void;

/**
 * Shows what was shown before a link. A page that loads with a link shows what that opened before a reload: `isLoading`
 * asks for the user's own.
 */
type GoBack = (isLoading: boolean) => void;

/** What a link has opened beside a script. */
type Opened = { watchEdits?: WatchEdits; goBack: GoBack };

/**
 * Removes the link from the address once the page shows something else, and then calls `onLeave`; at once if the link
 * was refused for good.
 */
function keepAddress(
  signal: AbortSignal,
  onLeave: () => void,
  watchEdits: WatchEdits = () => () => {},
): void {
  const { notice, script, session, promptSession } = usePlayground.getState();
  const clean = (): void => history.replaceState(null, '', location.pathname + location.search);
  const isRefused = notice?.kind === 'refused';
  if (isRefused && notice.tryAgain === undefined) return clean();
  const stops = [
    usePlayground.subscribe((state) => {
      const isSame = isRefused
        ? state.notice === notice
        : state.script === script && state.session === session && state.promptSession === promptSession;
      if (!isSame) leave();
    }),
    watchEdits(leave),
  ];
  function stop(): void {
    for (const one of stops) one();
    signal.removeEventListener('abort', stop);
  }
  function leave(): void {
    stop();
    clean();
    onLeave();
  }
  // by then the address has another link
  signal.addEventListener('abort', stop);
}

type Following = {
  signal: AbortSignal;
  /** True if the page shows what another link, or this one before a reload, has opened. */
  isAfterLink: boolean;
  tryAgain: () => void;
};

async function follow(link: OpenedLink, following: Following): Promise<Opened | undefined> {
  switch (link.kind) {
    case 'none':
      return;
    case 'refused':
      return refuse(link.message);
    case 'script':
      usePlayground.getState().replaceScript(link.script, { origin: 'link' });
      usePlayground.setState({ notice: { kind: 'opened', from: 'link' } });
      return;
    case 'run':
      return openSharedRun(link, following);
    case 'prompts':
    case 'evaluation':
      return openPrompts(link, following);
    case 'short':
      return openShort(link.id, following);
  }
}

async function openShort(id: string, following: Following): Promise<Opened | undefined> {
  const { signal, tryAgain } = following;
  if (shareAddress === undefined) {
    return refuse(
      'This link leads to a run on a server, and this page is not connected to one. Open the link on the site where it was made.',
    );
  }
  usePlayground.setState({ notice: { kind: 'opening' } });
  let text: string | undefined;
  try {
    text = await getShare(shareAddress, id, signal);
  } catch (error) {
    if (signal.aborted) return;
    const message = error instanceof ShareError ? error.message : 'This link could not be opened.';
    return refuse(message, tryAgain);
  }
  if (signal.aborted) return;
  if (text === undefined) {
    return refuse(
      'Nothing is shared under this link. It may have been deleted, or have expired: shares are kept for a limited time. Ask for a new link.',
    );
  }
  const hash = `#${text}`;
  const kept = readLink(hash);
  if (kept.kind === 'none' || kept.kind === 'short')
    return refuse('This link does not lead to a shared run.');
  const page = location.origin + location.pathname;
  rememberShortLink(hash, { id, url: makeShortLink(id, page), expiresAt: undefined });
  return follow(kept, following);
}

async function openPrompts(
  link: Extract<OpenedLink, { kind: 'prompts' | 'evaluation' }>,
  { signal, isAfterLink }: Following,
): Promise<Opened | undefined> {
  usePlayground.setState({ notice: { kind: 'opening' } });
  let opened: Opened;
  try {
    // loaded with the views that show them
    const { keepShown, showPrompts, watchEdits } = await import('./open-prompts.ts');
    opened = { watchEdits, goBack: keepShown(isAfterLink) };
    const problem = await showPrompts(link, signal);
    if (signal.aborted) return;
    if (problem !== undefined) return refuse(problem);
  } catch {
    return refuse(
      'The view for shared prompts could not be loaded. Reload the page and open the link again.',
    );
  }
  usePlayground.setState({ notice: { kind: 'opened', from: 'link' } });
  return opened;
}

async function openSharedRun(
  { script, log }: Extract<OpenedLink, { kind: 'run' }>,
  { signal }: Following,
): Promise<Opened | undefined> {
  usePlayground.setState({ notice: { kind: 'opening' } });
  let problem: string | undefined;
  try {
    // loaded with its checks, which a page without such a link does not need
    const { problemOfLog } = await import('../history/check-log.ts');
    await nextTask();
    problem = await problemOfLog(log);
  } catch {
    return refuse('The view for shared runs could not be loaded. Reload the page and open the link again.');
  }
  if (signal.aborted) return;
  if (problem !== undefined) {
    return refuse(`The run in this link cannot be shown: ${problem}. Ask for the link again.`);
  }
  // reducing a log, filling the editor and drawing a run take one turn each
  const run = openLinkedRun(log);
  await nextTask();
  if (signal.aborted) return;
  const { session, replaceScript } = usePlayground.getState();
  if (session !== undefined && session.recorded !== true && isInProgress(session.run.getState())) {
    return refuse('A run is in progress here. Stop it or wait until it ends, then open the link again.');
  }
  replaceScript(script, { origin: 'link' });
  await nextTask();
  if (signal.aborted) return;
  showLinkedRun({ script }, run, { link: location.hash });
  selectLinkedStep(location.search, usePlayground.getState().session);
  usePlayground.setState({ notice: { kind: 'opened', from: 'link' } });
  return {
    goBack: () => (session === undefined ? usePlayground.setState({ session }) : showSession(session)),
  };
}

/** `tryAgain` opens a link that may open later. */
function refuse(message: string, tryAgain?: () => void): undefined {
  const notice = {
    kind: 'refused',
    message: `${message} Your own work is unchanged.`,
    ...(tryAgain !== undefined && { tryAgain }),
  } as const;
  // on a phone, show the pane with the notice
  usePlayground.setState({ notice, tab: 'editor' });
}
