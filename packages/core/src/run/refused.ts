import { CuelineError } from '../base/errors.ts';

/** Returns a promise of a run, whose rejection a caller may ignore, because the state says the same. */
export function ignorable<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

/** Returns a rejected promise that may be ignored. */
export function refused(why: unknown): Promise<never> {
  return ignorable(Promise.reject<never>(why));
}

/** Returns what a start, or an action that waits, rejects with when it is stopped. The promise may be ignored. */
export function stopped(): Promise<never> {
  return refused(new CuelineError('aborted', 'The run was stopped.'));
}
