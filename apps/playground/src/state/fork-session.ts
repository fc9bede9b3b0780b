import type { RunEvent } from '@cueline/core';
import { continuableSteps, editLog, logBefore, type LogEdit } from '@cueline/core/replay';
import { canRunAgain, startFork } from './run-session.ts';
import { logOf } from './shown-run.ts';
import { usePlayground, type ForkPoint, type RunSession } from './store.ts';

/** Why a session cannot continue from any of its steps; undefined if it can. */
export function forkProblem(session: RunSession): string | undefined {
  return canRunAgain(session)
    ? undefined
    : 'The version of the prompt that ran is not among the prompts here, so no run can continue from these steps.';
}

/**
 * The steps of a turn, or of its agent at this path, from which it can run again, from 0; none if the session or the
 * agent cannot be continued.
 */
export function stepsToRunFrom(session: RunSession, turn: number, agent?: string): readonly number[] {
  return canRunAgain(session) ? continuableSteps(logOf(session, turn), agent) : [];
}

/** The step of the run itself that called the agent at this path, or the agent that it is inside of. */
export function stepOfAgent(session: RunSession, turn: number, agent: string): number | undefined {
  const [outer] = agent.split('/', 1);
  let step: number | undefined;
  for (const event of logOf(session, turn)) {
    if (event.type === 'step-start' && event.agent === undefined) step = event.step;
    if (event.type === 'agent-start' && event.agent === outer) return step;
  }
  return undefined;
}

/** The last step from which a turn can continue at a moment: the one after its last complete step. */
export function stepAfter(session: RunSession, turn: number, seq: number): number {
  return continuableSteps(logOf(session, turn).slice(0, seq + 1)).at(-1) ?? 0;
}

/**
 * A step to run again from, of a turn or of its agent. `script` is that of the editor, in place of the one that ran.
 */
type StepToRunFrom = { step: number; agent?: string | undefined; script?: string };

/**
 * Runs a turn again from one of its steps, in a new session. The steps before it stay as they were; from its first
 * step, the turn starts over with the same input. From an agent's step, that agent continues, then the run.
 */
export function forkAt(session: RunSession, turn: number, { step, agent, script }: StepToRunFrom): void {
  const { source, openScript } =
    script === undefined ? session : { source: { script }, openScript: usePlayground.getState().openScript };
  startFork(session, {
    source,
    openScript,
    earlier: session.earlier.slice(0, turn),
    parent: pointOf(session, turn, step, agent),
    log: logBefore(logOf(session, turn), step, agent),
    retry: agent === undefined ? { from: step } : {},
  });
}

/**
 * Replaces a call's result or the model's text, and runs only what follows, in a new session. After an edit of the last
 * answer, nothing runs until the user replies. If the edit is not possible, returns the reason.
 */
export function forkEdited(session: RunSession, turn: number, edit: LogEdit): string | undefined {
  const fault = editFault(logOf(session, turn), edit);
  if (fault !== undefined) return fault;
  const { agent } = edit;
  const log = editLog(logOf(session, turn), edit);
  const step = edit.step + 1;
  const continues = agent !== undefined || continuableSteps(log).includes(step);
  startFork(session, {
    source: session.source,
    openScript: session.openScript,
    earlier: session.earlier.slice(0, turn),
    parent: pointOf(session, turn, step, agent),
    log,
    retry: continues ? (agent === undefined ? { from: step } : {}) : undefined,
  });
  return undefined;
}

function pointOf({ id }: RunSession, turn: number, step: number, agent: string | undefined): ForkPoint {
  return { id, turn, step, ...(agent === undefined ? {} : { agent }) };
}

/** The text that the model has written in a step of the run, or of its agent; undefined if there is none to edit. */
export function answerOf(
  session: RunSession,
  turn: number,
  step: number,
  agent?: string,
): string | undefined {
  const log = logOf(session, turn);
  let text: string | undefined;
  let isInside = false;
  for (const event of log) {
    if (event.agent !== agent) continue;
    if (event.type === 'agent-start') {
      text = undefined;
      isInside = false;
    }
    if (event.type === 'step-start') isInside = event.step === step;
    if (!isInside) continue;
    if (event.type === 'retry' && event.attempt === undefined) text = undefined;
    if (event.type === 'text-start') text ??= '';
    if (event.type === 'text-delta') text = (text ?? '') + event.text;
  }
  const isEditable = text !== undefined && editFault(log, { step, agent, text }) === undefined;
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
