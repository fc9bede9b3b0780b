import { callAll } from '../base/call-all.ts';
import { initialState } from '../log/reduce.ts';
import type { RunState } from '../log/state.ts';
import type { RunInternals } from './run-internals.ts';

/** Returns the state that the run shows: the state of its log, and what no log contains. */
export function stateOf(run: RunInternals): RunState {
  const { log, starting } = run;
  return withOverlay(run, (log.events.length === 0 && starting) || log.getState());
}

/** Calls the subscribers with the current state. */
export function notify(run: RunInternals): void {
  callAll(run.subscribers, stateOf(run));
}

/** Subscribes to the shown log while the run has subscribers. Call this whenever one of the two has changed. */
export function watchLog(run: RunInternals): void {
  const { log, subscribers } = run;
  run.unsubscribe?.();
  run.unsubscribe =
    subscribers.size === 0
      ? undefined
      : log.subscribe((state) => callAll(subscribers, withOverlay(run, state)));
}

/** Calls `listener` with the states from now on. Returns a function that unsubscribes. */
export function subscribe(run: RunInternals, listener: (state: RunState) => void): () => void {
  const { subscribers } = run;
  subscribers.add(listener);
  if (subscribers.size === 1) watchLog(run);
  return () => {
    subscribers.delete(listener);
    if (subscribers.size === 0) watchLog(run);
  };
}

/**
 * Adds to a log's state what is not in the log: waiting starts, a replay, a failing storage, and what the starts in
 * the background wait for. Returns the same object while nothing has changed.
 */
function withOverlay(run: RunInternals, base: RunState): RunState {
  const { attempts, log, storageError } = run;
  const { queued, shown } = attempts;
  const { approvals, clientToolCalls } = attempts.pending;
  const replaying = shown?.replays === true && !log.ended;
  const inputs = [base, queued, replaying, storageError, ...approvals, ...clientToolCalls];
  const last = run.latest;
  if (last?.inputs.length === inputs.length && inputs.every((input, index) => input === last.inputs[index])) {
    return last.state;
  }
  let state = base;
  if (queued > 0 || replaying) state = { ...state, queued, replaying };
  if (storageError !== undefined) state = { ...state, storageError: storageError.toJSON() };
  if (approvals.length > 0) state = { ...state, approvals: [...base.approvals, ...approvals] };
  if (clientToolCalls.length > 0) {
    state = { ...state, clientToolCalls: [...base.clientToolCalls, ...clientToolCalls] };
  }
  run.latest = { inputs, state };
  return state;
}

// the initial state is idle, so it has no field that a running state lacks
const idle = initialState as Extract<RunState, { status: 'idle' }>;

/** The state of a run that has asked its executor and has no event yet. */
export const requesting: RunState = { ...idle, status: 'running', phase: 'requesting' };
