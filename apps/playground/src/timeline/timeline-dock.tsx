import { isInProgress, type RunState } from '@cueline/core';
import { useRun } from '@cueline/react';
import { clsx } from 'clsx';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useInspection } from '../state/inspection.ts';
import { logOf } from '../state/shown-run.ts';
import type { RunSession } from '../state/store.ts';
import { PaneHeader } from '../ui/pane-header.tsx';
import { segmentStyles } from './bars.tsx';
import { buildRows } from './build-rows.ts';
import { Scrubber, togglePlaying } from './scrubber.tsx';
import type { SegmentKind } from './timeline-row.ts';
import { TurnChoice } from './turn-choice.tsx';
import { useAxisEnd } from './use-axis-end.ts';
import { playback } from './use-playback.ts';
import { useSpaceKey } from './use-space-key.ts';
import { Waterfall } from './waterfall.tsx';

/** A run in time, and the scrubber. `children` are further controls for its bar. */
export function TimelineDock({ session, children }: { session: RunSession; children?: ReactNode }) {
  const dock = useRef<HTMLElement>(null);
  const now = useRun(session.run);
  const last = session.earlier.length;
  const [turn, choose] = useTurn(last);
  const state: RunState = session.earlier[turn]?.state ?? now;
  const live = turn === last && isInProgress(state);
  const end = useAxisEnd(dock, { elapsed: state.elapsed, clock: session.clock, live });
  const rows = useMemo(() => buildRows(state, logOf(session, turn), turn), [state, session, turn]);
  useEffect(() => () => playback.pause(), []);

  useSpaceKey(dock, () => togglePlaying(session, turn));
  return (
    <section ref={dock} aria-label="Timeline" className="flex min-h-0 flex-1 flex-col bg-panel">
      <PaneHeader title="Timeline">
        <Legend />
        {last > 0 && <TurnChoice count={last + 1} turn={turn} onChoose={choose} />}
        {children}
      </PaneHeader>
      <Waterfall key={turn} session={session} turn={turn} rows={rows} end={end} live={live} />
      <Scrubber session={session} turn={turn} end={end} enabled={state.seq >= 0} />
    </section>
  );
}

/** The turn that is shown: that of the moment, else the one of the selection or the choice that came last. */
function useTurn(last: number): [turn: number, choose: (turn: number) => void] {
  const [chosen, setChosen] = useState({ turn: last, last });
  const moment = useInspection((state) => state.moment?.turn);
  const selection = useInspection(({ selection: of }) =>
    of === undefined || of.kind === 'definition' ? undefined : of,
  );
  useEffect(() => {
    if (selection !== undefined) setChosen({ turn: selection.turn, last });
  }, [selection, last]);
  // a new turn is shown at once
  const turn = Math.min(moment ?? (chosen.last === last ? chosen.turn : last), last);
  return [
    turn,
    (to) => {
      useInspection.getState().goTo(undefined);
      setChosen({ turn: to, last });
    },
  ];
}

const legend: readonly SegmentKind[] = ['first-token', 'generating', 'arguments', 'running', 'asking'];

/** What the shades of the bars mean. */
function Legend() {
  return (
    <ul aria-label="Legend" className="mr-2 flex gap-3 text-xs text-ink-3 @max-3xl:hidden narrow:hidden">
      {legend.map((kind) => (
        <li key={kind} className="flex items-center gap-1.5">
          <span
            aria-hidden
            className={clsx('w-4 rounded-xs forced-color-adjust-none', segmentStyles[kind].className)}
          />
          {segmentStyles[kind].label}
        </li>
      ))}
    </ul>
  );
}
