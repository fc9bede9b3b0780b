import type { RunEvent } from '@cueline/core';
import { continuableSteps, editLog, type LogEdit } from '@cueline/core/replay';
import { startFork } from './run-session.ts';
import { logOf } from './shown-run.ts';
import type { RunSession } from './store.ts';

/** True if a session can be continued from one of its steps: its script, or its prompt, is known to this page. */
export function canFork(session: RunSession): boolean {
  return 'script' in session.source || !session.shared;
}

/** The steps of a turn from which it can run again, from 0; none if the session cannot be continued. */
export function stepsToRunFrom(session: RunSession, turn: number): readonly number[] {
  return canFork(session) ? continuableSteps(logOf(session, turn)) : [];
}

/** The last step from which a turn can run on at a moment: the one after its last whole step. */
export function stepAfter(session: RunSession, turn: number, seq: number): number {
  return continuableSteps(logOf(session, turn).slice(0, seq + 1)).at(-1) ?? 0;
}

/**
 * Runs a turn again from one of its steps, in a session of its own. The steps before it are kept as they were; without
 * them the turn begins anew, with the same input. `script` replaces the one that has run.
 */
export function forkAt(session: RunSession, turn: number, step: number, script?: string): void {
  startFork(session, {
    source: script === undefined ? session.source : { script },
    earlier: session.earlier.slice(0, turn),
    parent: { id: session.id, turn, step },
    log: logBefore(logOf(session, turn), step),
    from: step,
  });
}

/**
 * Replaces a call's result or the model's text, and runs only what follows, in a session of its own. After the last
 * answer nothing follows before the user replies. @throws CuelineError `invalid_options`
 */
export function forkEdited(session: RunSession, turn: number, edit: LogEdit): void {
  const log = editLog(logOf(session, turn), edit);
  const step = edit.step + 1;
  startFork(session, {
    source: session.source,
    earlier: session.earlier.slice(0, turn),
    parent: { id: session.id, turn, step },
    log,
    from: continuableSteps(log).includes(step) ? step : undefined,
  });
}

/** The text that the model has written in a step of the run itself; undefined if there is none to edit. */
export function answerOf(session: RunSession, turn: number, step: number): string | undefined {
  const log = logOf(session, turn);
  let text: string | undefined;
  let isInside = false;
  for (const event of log) {
    if (event.agent !== undefined) continue;
    if (event.type === 'step-start') isInside = event.step === step;
    if (!isInside) continue;
    if (event.type === 'retry' && event.attempt === undefined) text = undefined;
    if (event.type === 'text-start') text ??= '';
    if (event.type === 'text-delta') text = (text ?? '') + event.text;
  }
  const isEditable = text !== undefined && editFault(log, { step, text }) === undefined;
  return isEditable ? text : undefined;
}

/** Why an edit is not possible; undefined if it is. */
export function editFault(log: readonly RunEvent[], edit: LogEdit): string | undefined {
  try {
    editLog(log, edit);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The events before a step of the run itself, as a log that has ended. */
function logBefore(log: readonly RunEvent[], step: number): readonly RunEvent[] {
  const start = log.findIndex(
    (event) => event.agent === undefined && event.type === 'step-start' && event.step === step,
  );
  const events = log.slice(0, start < 0 ? log.length : start);
  const last = events.at(-1);
  if (last === undefined || last.type === 'run-end') return events;
  return [...events, { type: 'run-end', seq: events.length, t: last.t, outcome: 'stopped' }];
}
