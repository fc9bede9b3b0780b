import type { RunState } from '@cueline/core';
import { create } from 'zustand';
import { figuresOf, statesOf } from '../state/shown-run.ts';
import { usePlayground, type RunSession } from '../state/store.ts';

/** A session of this page, with the facts that a list shows. */
export type KeptSession = {
  readonly session: RunSession;
  /** Milliseconds since 1970. */
  readonly startedOn: number;
  readonly status: RunState['status'];
  /** How many steps its turns have together. */
  readonly steps: number;
};

/** How many sessions are kept. */
const MAX_SESSIONS = 50;

/** The sessions of this page, oldest first. */
export const useForks = create<{ readonly kept: readonly KeptSession[] }>()(() => ({ kept: [] }));

/** Stops watching a session's run, by the session's id. */
const watched = new Map<string, { run: RunSession['run']; unlisten: () => void }>();

/** Keeps a session, or its next turn. If there are too many, those that no tree needs are removed first. */
export function keepSession(session: RunSession, startedOn: number = Date.now()): void {
  const { kept } = useForks.getState();
  const known = kept.find((one) => one.session.id === session.id);
  if (known?.session === session) return;
  const entry: KeptSession = {
    session,
    startedOn: known?.startedOn ?? startedOn,
    ...factsOf(session),
  };
  watch(session);
  useForks.setState({
    kept: bounded(known === undefined ? [...kept, entry] : kept.map((one) => (one === known ? entry : one))),
  });
}

function watch({ id, run }: RunSession): void {
  const before = watched.get(id);
  if (before?.run === run) return;
  before?.unlisten();
  const unlisten = run.listen(({ type }) => {
    // text deltas change neither the status nor the number of steps
    if (/^(?:run|step|approval|client-tool)-/.test(type)) update(id);
  });
  watched.set(id, { run, unlisten });
}

function update(id: string): void {
  useForks.setState(({ kept }) => ({
    kept: kept.map((one) => (one.session.id === id ? { ...one, ...factsOf(one.session) } : one)),
  }));
}

function factsOf({ run, earlier }: RunSession): Pick<KeptSession, 'status' | 'steps'> {
  const state = run.getState();
  const { steps } = figuresOf(statesOf({ earlier, state }));
  return { status: state.status, steps };
}

/** Removes the oldest sessions that have no forks, have ended and are not shown. */
function bounded(kept: readonly KeptSession[]): readonly KeptSession[] {
  const left = [...kept];
  while (left.length > MAX_SESSIONS) {
    const parents = new Set(left.map(({ session }) => session.parent?.id));
    const { session: shown, promptSession } = usePlayground.getState();
    const at = left.findIndex(
      ({ session, status }) =>
        !parents.has(session.id) &&
        session.id !== shown?.id &&
        session.id !== promptSession?.id &&
        status !== 'running' &&
        status !== 'waiting',
    );
    if (at < 0) break;
    const [gone] = left.splice(at, 1);
    watched.get(gone!.session.id)?.unlisten();
    watched.delete(gone!.session.id);
  }
  return left;
}

usePlayground.subscribe(({ session, promptSession }, before) => {
  if (session !== undefined && session !== before.session) keepSession(session);
  if (promptSession !== undefined && promptSession !== before.promptSession) keepSession(promptSession);
});
