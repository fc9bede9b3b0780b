import { selectionKey, useInspection, type Selection, type StepSelection } from '../state/inspection.ts';
import { logOf, statesOf } from '../state/shown-run.ts';
import type { RunSession } from '../state/store.ts';
import { buildRows } from './build-rows.ts';
import { visibleEvent } from './moments.ts';

/**
 * Selects the step after the one that was selected last, or before it, through all turns and agents; the first or
 * last if none was.
 */
export function selectStep(session: RunSession, direction: 'next' | 'previous'): void {
  const { lastStep, select } = useInspection.getState();
  const steps = stepsOf(session);
  const key = selectionKey(stepOf(lastStep));
  const index = steps.findIndex((step) => selectionKey(step) === key);
  const to = direction === 'next' ? index + 1 : index < 0 ? steps.length - 1 : index - 1;
  if (steps[to] !== undefined) select(steps[to]);
}

/** Shows the run after the next visible event, or before it; after the last one, as it is now. */
export function goToEvent(session: RunSession, direction: 'next' | 'previous'): void {
  const { moment, goTo } = useInspection.getState();
  const last = session.earlier.length;
  const turn = Math.min(moment?.turn ?? last, last);
  const log = logOf(session, turn);
  // a moment at the end of the last turn is now
  if (moment === undefined && direction === 'next') return;
  const seq = visibleEvent(log, moment?.seq ?? log.length - 1, direction);
  if (seq !== undefined) return goTo(turn === last && seq === log.length - 1 ? undefined : { turn, seq });
  if (direction === 'next') goTo(turn < last ? { turn: turn + 1, seq: 0 } : undefined);
  else if (turn > 0) goTo({ turn: turn - 1, seq: logOf(session, turn - 1).length - 1 });
}

/** The step that is selected, or that made the selected call. */
function stepOf(selection: StepSelection | undefined): StepSelection | undefined {
  if (selection === undefined || selection.kind !== 'call') return selection;
  const { turn, agent, step } = selection;
  return { kind: 'step', turn, agent, step };
}

/** Every step of a session, in the order of the timeline. */
function stepsOf(session: RunSession): readonly Selection[] {
  return statesOf({ earlier: session.earlier, state: session.run.getState() })
    .flatMap((state, turn) => buildRows(state, logOf(session, turn), turn))
    .flatMap(({ kind, selection }) => (kind === 'step' && selection !== undefined ? [selection] : []));
}
