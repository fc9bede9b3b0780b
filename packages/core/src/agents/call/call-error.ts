import { thrownName, thrownText } from '../../base/error-source.ts';
import { CuelineError } from '../../base/errors.ts';
import type { CallTrace } from '../record-tool-calls.ts';
import type { CallReport } from './call-policy.ts';
import { eventOf, type CallEvent, type CallState } from './call-state.ts';
import type { Dialog } from './dialog.ts';

/** The `details` of the error with which an agent call rejects. */
export type CallErrorDetails = {
  /** The call's state when it ended. */
  state: CallState;
  /** The event that ended it. */
  event: CallEvent;
  /** The number of unusable answers. */
  attempts: number;
  /** The number of unusable answers in a row, at the end. */
  exceptions: number;
  /** Rounds of tool calls. */
  interrupts: number;
  /** The conversation so far. Another call can continue it. */
  dialog: Dialog;
  calls: readonly CallTrace[];
};

/** Returns the error with which an agent call rejects: why it ended, and its state. */
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
  // a log goes to workers and databases, which cannot take functions
  const plain = { ...json, details: { ...json.details, dialog: dialog.toJSON() } };
  return Object.defineProperty(rejection, 'toJSON', { value: () => plain });
}

/** Returns an error for a value that foreign code threw. A signal may abort with any reason. */
function toNamedError(thrown: unknown, event: CallEvent | undefined): CuelineError {
  return event === 'aborted' || thrownName(thrown) === 'AbortError'
    ? new CuelineError('aborted', 'The call was stopped.', { cause: thrown })
    : new CuelineError('script_error', thrownText(thrown), { cause: thrown });
}
