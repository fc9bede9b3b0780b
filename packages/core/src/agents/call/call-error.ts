import { CuelineError } from '../../base/errors.ts';
import type { CallReport } from './call-report.ts';
import type { CallTrace } from './call-trace.ts';
import type { Dialog } from './dialog.ts';
import type { CallEvent, CallState } from './transitions.ts';

/** The `details` of the error that an agent call rejects with. */
export type CallErrorDetails = {
  /** The state that the call was in when it ended. */
  state: CallState;
  /** What happened then. */
  event: CallEvent;
  /** Answers that the model has given and that could not be used. */
  attempts: number;
  /** How many of them in a row, at the end. */
  exceptions: number;
  /** Rounds of tool calls. */
  interrupts: number;
  /** What stays of the conversation: another call can go on from it. */
  dialog: Dialog;
  calls: readonly CallTrace[];
};

/** What an agent call rejects with: why it ended, and how far it had come. */
export function callError(error: unknown, report: CallReport | undefined, dialog: Dialog): CuelineError {
  const why = report?.error ?? error;
  const { counters, state = 'asking', calls = [] } = report ?? {};
  const known = CuelineError.isInstance(why) ? why : toNamedError(why, report?.event);
  const details: CallErrorDetails = {
    state,
    event: known.code === 'aborted' ? 'aborted' : (report?.event ?? eventOf(known)),
    attempts: counters?.failures ?? 0,
    exceptions: counters?.exceptions ?? 0,
    interrupts: counters?.interrupts ?? 0,
    dialog,
    calls,
  };
  const rejection = new CuelineError(known.code, known.message, {
    cause: known.cause ?? known,
    details: { ...known.details, ...details },
    source: known.source,
  });
  const json = rejection.toJSON();
  // a log goes to workers and databases, which take nothing that has functions
  const plain = { ...json, details: { ...json.details, dialog: dialog.toJSON() } };
  return Object.defineProperty(rejection, 'toJSON', { value: () => plain });
}

/** What somebody else threw; a signal may abort with any reason. */
function toNamedError(thrown: unknown, event: CallEvent | undefined): CuelineError {
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return event === 'aborted' || name === 'AbortError'
    ? new CuelineError('aborted', 'The call was stopped.', { cause: thrown })
    : new CuelineError('script_error', message, { cause: thrown });
}

/** What an error from outside is to a call. */
export function eventOf({ code }: CuelineError): Extract<CallEvent, 'aborted' | 'limit' | 'broken'> {
  if (code === 'aborted') return 'aborted';
  return code === 'budget_exceeded' || code === 'loop_detected' ? 'limit' : 'broken';
}
