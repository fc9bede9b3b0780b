import { useForks } from '../forks/store.ts';
import {
  forgetEarlierScript,
  newOpenScript,
  readEarlierScript,
  type OpenText,
} from '../state/open-script.ts';
import { forgetReply, forgetSentReply, viewOf } from '../state/reply-draft.ts';
import { showSession } from '../state/run-session.ts';
import { reportStorage, usePlayground, type RunSession } from '../state/store.ts';
import { toast } from '../ui/toast.ts';
import { createDatabase, isDatabaseError } from './database.ts';
import { keepRelatives } from './keep-relatives.ts';
import { keepScripts, type ScriptKeeper } from './keep-scripts.ts';
import { useLibrary } from './library.ts';
import { openStoredRun } from './open-stored-run.ts';
import type { StoredStatus, ScriptRow } from './rows.ts';
import { runLocks } from './run-locks.ts';
import { createRunStore } from './run-store.ts';
import { createRunSaver } from './save-runs.ts';
import { createScriptStore } from './script-store.ts';
import { watchTabs, notifyTabs } from './tab-channel.ts';

const database = createDatabase();
export const scripts = createScriptStore(database);
export const runs = createRunStore(database);

const recorder = createRunSaver({
  store: runs,
  locks: runLocks,
  isShown,
  // the tree of forks can show its runs again
  isKept: (session) =>
    isShown(session) || useForks.getState().kept.some((one) => one.session.id === session.id),
  onProblem: (error) => reportFailure('This run could not be stored', error),
  onWritten(session, id) {
    const { session: ofScript, promptSession, storedRuns } = usePlayground.getState();
    if (ofScript?.id === session.id) rememberRun({ ...storedRuns, script: id });
    if (promptSession?.id === session.id) rememberRun({ ...storedRuns, prompts: id });
    useLibrary.setState({ problem: undefined });
    forgetSentReply({ id: session.id, turn: session.earlier.length });
    notifyTabs({ kind: 'runs' });
    readListedRuns();
    void pruneOnce(id);
  },
});

function isShown({ id }: RunSession): boolean {
  const { session, promptSession } = usePlayground.getState();
  return session?.id === id || promptSession?.id === id;
}

let keeper: ScriptKeeper | undefined;
const pruned = new Set<string>();

/**
 * Starts to store the scripts and runs of this page. Shows the runs of the last visit again, unless the
 * address has a link to a run.
 */
export async function startHistory({ restore }: { restore: boolean }): Promise<void> {
  keeper = keepScripts({
    page: usePlayground,
    store: scripts,
    onProblem: reportBlocked,
    onSaved(id) {
      useLibrary.setState({ problem: undefined });
      notifyTabs({ kind: 'script', id });
      void readScripts();
    },
    onCopied: (name) =>
      toast(`This script is “${name}” now.`, {
        description: 'Another tab has changed it, too. Both texts are kept.',
        duration: 15_000,
      }),
  });
  usePlayground.subscribe((state, before) => {
    for (const slot of ['session', 'promptSession'] as const) {
      const session = state[slot];
      if (session === undefined || session === before[slot]) continue;
      recorder.follow(session);
      // a closing page may write the run and never learn that the write succeeded
      const id = recorder.idOf(session);
      const view = slot === 'session' ? 'script' : 'prompts';
      if (id !== undefined) rememberRun({ ...state.storedRuns, [view]: id });
    }
  });
  const { session, promptSession } = usePlayground.getState();
  for (const one of [session, promptSession]) if (one !== undefined) recorder.follow(one);
  const flush = (): void => {
    void keeper?.flush();
    void recorder.flush();
  };
  addEventListener('pagehide', flush);
  document.addEventListener('visibilitychange', () => {
    flush();
    // the user may have deleted the data of this site meanwhile
    if (document.visibilityState === 'visible') void keeper?.refresh().then(readScripts);
  });
  watchTabs(({ kind }) => {
    if (kind === 'runs') return readListedRuns();
    void readScripts();
    void keeper?.refresh();
  });
  try {
    if (restore) await restoreRuns();
  } finally {
    usePlayground.setState({ restoring: false });
  }
  await storeEarlierScript();
  await keeper.flush();
  await keeper.refresh();
  await readScripts();
}

/** A run is interrupted if its page was closed before it ended. */
export function statusNow(id: string, status: StoredStatus, inProgress: ReadonlySet<string>): StoredStatus {
  return (status === 'running' || status === 'waiting') && !inProgress.has(id) ? 'interrupted' : status;
}

/**
 * Opens a stored run as a session of this page, which `showSession` then shows. If the run cannot be opened, returns
 * the reason.
 */
export async function openSession(id: string): Promise<RunSession | { problem: string }> {
  const { session, promptSession } = usePlayground.getState();
  for (const one of [session, promptSession]) {
    if (one !== undefined && recorder.idOf(one) === id) return one;
  }
  const here = recorder.inProgress(id);
  if (here !== undefined) return here;
  if ((await runLocks.held()).has(id)) return { problem: 'This run is in progress in another tab.' };
  const opened = await openStoredRun(runs, id);
  if ('problem' in opened) return opened;
  return recorder.opened(opened.session, opened.row);
}

/** Reads the runs again, for the lists of the page. */
export async function readRuns(): Promise<void> {
  try {
    const [{ rows, unreadable }, inProgress] = await Promise.all([runs.listAll(), runLocks.held()]);
    useLibrary.setState({ runs: rows, unreadable, inProgress, isRead: true });
  } catch (error) {
    useLibrary.setState({ isRead: true });
    reportFailure('The history could not be read', error);
  }
}

/** Reads the runs again if one of their lists is open. They read them when they open, too. */
function readListedRuns(): void {
  const { dialog, commandsOpen } = usePlayground.getState();
  if (dialog === 'history' || commandsOpen) void readRuns();
}

/** Reads the scripts again, for the lists of the page. */
async function readScripts(): Promise<void> {
  try {
    const { rows, hasUnreadable } = await scripts.list();
    useLibrary.setState({ scripts: rows, hasUnreadableScripts: hasUnreadable });
  } catch (error) {
    reportBlocked(error);
  }
}

/** Stores pending changes, and notifies this page and the other tabs that runs have changed. */
export async function runsChanged(): Promise<void> {
  // what did not fit before may fit now
  await Promise.all([keeper?.flush(), recorder.flush()]);
  notifyTabs({ kind: 'runs' });
  await readRuns();
}

/** Notifies this page and the other tabs that a script has changed. */
export async function scriptChanged(id: string): Promise<void> {
  notifyTabs({ kind: 'script', id });
  await readScripts();
  await keeper?.refresh();
}

/** Stores the script in the editor now. */
export async function saveNow(): Promise<void> {
  await keeper?.flush();
}

/** Renames or pins a run. */
export async function changeRun(id: string, change: { title?: string; pinned?: boolean }): Promise<void> {
  recorder.amend(id, change);
  await runs.update(id, change);
  await runsChanged();
}

/** A stored script as the editor takes it. */
export function toOpenText({ id, name, origin, revision, text }: ScriptRow): OpenText {
  const open = { id, origin, kept: true, revision, isSaved: true, ...(name === undefined ? {} : { name }) };
  return { open, text };
}

/** Reports that the browser stores nothing, and why; in a message, once. */
export function reportBlocked(error: unknown): void {
  const { problem, remedy } = failures[(error as Partial<Error> | undefined)?.name ?? ''] ?? blocked;
  useLibrary.setState({ problem });
  reportStorage(`${problem} Your script and this run stay here until you close the tab: ${remedy}`);
}

type Failure = { readonly problem: string; readonly remedy: string };

const blocked: Failure = {
  problem: 'The browser does not let this page store anything.',
  remedy: 'use Share to keep a copy, or allow site data for this page.',
};
/** What the failures of a database mean, by the names of their errors. */
const failures: Readonly<Record<string, Failure>> = {
  QuotaExceededError: {
    problem: 'The browser has no space left for this page.',
    remedy: 'delete old runs in History, or use Share to keep a copy.',
  },
  TimeoutError: {
    problem: 'The browser has not opened the storage of this page in time.',
    remedy: 'use Share to keep a copy. Close the other tabs of this page and reload this one.',
  },
  VersionError: {
    problem: 'A newer version of this page has stored your scripts and runs, and this one cannot read them.',
    remedy: 'use Share to keep a copy. Close all tabs of this page and open it again.',
  },
};

/** Reports a failure of the database as blocked storage, and any other error with what has failed. */
export function reportFailure(what: string, error: unknown): void {
  if (isDatabaseError(error)) reportBlocked(error);
  else toast.error(`${what}: ${error instanceof Error ? error.message : String(error)}`);
}

function rememberRun(storedRuns: { script?: string | undefined; prompts?: string | undefined }): void {
  const { script, prompts } = usePlayground.getState().storedRuns;
  if (script !== storedRuns.script || prompts !== storedRuns.prompts) usePlayground.setState({ storedRuns });
}

/** How long after a new run was first stored older runs are removed, in milliseconds. */
const PRUNE_AFTER_MS = 3_000;

/** Removes the runs beyond the limits, once for each new run of this page. */
async function pruneOnce(id: string): Promise<void> {
  if (pruned.has(id)) return;
  pruned.add(id);
  // it reads every stored run, which must not delay the first words of this one
  await new Promise((resolve) => setTimeout(resolve, PRUNE_AFTER_MS));
  try {
    await runs.prune(new Set([...recorder.ids(), ...(await runLocks.held())]));
  } catch (error) {
    reportFailure('The oldest runs could not be removed', error);
  }
}

/** How long the page that was just reloaded may take to release its run, in milliseconds. */
const RELEASE_MS = 1_000;

/** Shows the runs of the last visit again. */
export async function restoreRuns(): Promise<void> {
  const { script, prompts } = usePlayground.getState().storedRuns;
  const tab = usePlayground.getState().tab;
  for (const id of [script, prompts]) {
    if (id === undefined) continue;
    try {
      const until = performance.now() + RELEASE_MS;
      while ((await runLocks.held()).has(id) && performance.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const session = await openSession(id);
      const { session: shown, promptSession } = usePlayground.getState();
      if ('problem' in session) {
        if (await isDeleted(id)) continue;
        toast.error('The last run could not be opened again.', { description: session.problem });
        continue;
      }
      // a run that was started meanwhile stays
      if (('script' in session.source ? shown : promptSession) !== undefined) continue;
      forgetReply(viewOf(session.source), lastMessageOf(session));
      await showTree(session);
      usePlayground.setState({ tab });
    } catch (error) {
      reportFailure('The last run could not be opened again', error);
    }
  }
}

/** True if the database no longer has a run, such as one that the user has deleted. False if it only cannot be read. */
async function isDeleted(id: string): Promise<boolean> {
  const { rows, unreadable } = await runs.listAll();
  return !unreadable.includes(id) && rows.every((row) => row.id !== id);
}

/** The text of the user's last message. */
function lastMessageOf({ run }: RunSession): string {
  const message = run.getState().messages.findLast(({ role }) => role === 'user');
  const texts = message?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts?.at(-1) ?? '';
}

/** Shows a stored run, and the tree of forks that it belongs to. */
export async function showTree(session: RunSession): Promise<void> {
  // opens the tree first: runs are numbered in the order in which they are added
  await keepRelatives(session, recorder.idOf(session) ?? session.id, await runs.list(), openSession);
  showSession(session);
}

async function storeEarlierScript(): Promise<void> {
  const text = readEarlierScript();
  if (text === undefined) return;
  try {
    await scripts.save({ open: usePlayground.getState().previousScript?.open ?? newOpenScript('own'), text });
    forgetEarlierScript();
  } catch (error) {
    reportBlocked(error);
  }
}
