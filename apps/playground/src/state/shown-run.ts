import { createRun, definePrompt, initialState, type Run, type RunEvent, type RunState } from '@cueline/core';
import { useRun, type WatchedRun } from '@cueline/react';
import { useMemo } from 'react';
import type { Moment } from './inspection.ts';
import { useFollowedMoment } from './moment/followed-moment.tsx';
import type { RunSession, Turn } from './store.ts';

/** A session as it is shown: as it is now, or as it was at a moment. */
export type ShownRun = {
  /** The state of the last turn that is shown. */
  state: RunState;
  /** The number of that turn, from 0. */
  turn: number;
  /** The turns before it. */
  earlier: readonly Turn[];
  /** True if this is an earlier moment: nothing in it can be answered or changed. */
  isPast: boolean;
};

/** A placeholder before the first run. */
export const noRun: WatchedRun = { getState: () => initialState, subscribe: () => () => {} };

/** The session as the run pane shows it; re-renders at most once a frame. */
export function useShownRun(session: RunSession | undefined): ShownRun {
  return useRunAt(session, useFollowedMoment());
}

/** The session as it was at a moment; the same object as long as neither changes. */
export function useRunAt(session: RunSession | undefined, moment: Moment | undefined): ShownRun {
  const now = useRun(session?.run ?? noRun);
  return useMemo(() => shownAt(session, now, moment), [session, now, moment]);
}

/** `now` is the present state of the session's last turn. */
export function shownAt(
  session: RunSession | undefined,
  now: RunState,
  moment: Moment | undefined,
): ShownRun {
  const earlier = session?.earlier ?? [];
  const last = earlier.length;
  if (session === undefined || moment === undefined || moment.turn > last) {
    return { state: now, turn: last, earlier, isPast: false };
  }
  const { turn, seq } = moment;
  const state = turn === last ? session.run.at(seq) : runOf(earlier[turn]!.log).at(seq);
  return { state, turn, earlier: earlier.slice(0, turn), isPast: true };
}

/** The states of all turns of a conversation, whose last one has this state. */
export function statesOf({ earlier, state }: Pick<ShownRun, 'earlier' | 'state'>): RunState[] {
  return [...earlier.map((turn) => turn.state), state];
}

/** What turns have taken together. `elapsed` is in milliseconds, without the time between turns. */
export type RunFigures = { turns: number; steps: number; elapsed: number; tokens: number };

/** The sums of all turns of a run, whose states these are. */
export function figuresOf(turns: readonly RunState[]): RunFigures {
  const sum = (of: (state: RunState) => number): number =>
    turns.reduce((total, state) => total + of(state), 0);
  return {
    turns: turns.length,
    steps: sum(({ steps }) => steps.length),
    elapsed: Math.max(
      0,
      sum(({ elapsed }) => elapsed),
    ),
    tokens: sum(({ usage }) => usage.totalTokens),
  };
}

export function logOf(session: Pick<RunSession, 'run' | 'earlier'>, turn: number): readonly RunEvent[] {
  return session.earlier[turn]?.log ?? session.run.log();
}

const past = definePrompt('past', () => {});
/** Runs of earlier turns, which can show any moment of their logs. */
const runs = new WeakMap<readonly RunEvent[], Run>();

function runOf(log: readonly RunEvent[]): Run {
  let run = runs.get(log);
  if (run === undefined) runs.set(log, (run = createRun(past, { log })));
  return run;
}
