import '../zod-without-eval.ts';
import { createReducer, hasPending, type RunEvent } from '@cueline/core';
import { createEventCounter, isRunEvent } from '@cueline/core/link';
import { defaultLimits } from '../sandbox/limits.ts';
import { createTimeSlices } from '../sandbox/time-slices.ts';
import { toTranscript } from '../transcript/view-model.ts';

/** The longest that a run may claim to have taken, in milliseconds: a year. */
const MAX_RUN_MS = 365 * 24 * 60 * 60_000;

export type LogCheck = {
  /**
   * True for a log from this browser or a file. Such a log may end early or still wait for an answer, because its page
   * was closed.
   */
  isStored?: boolean;
};

/** The reason why the events of a log are not those of one run, although each is valid. */
export const CONTRADICTION = 'its events contradict each other';

/**
 * The reason why a log cannot be shown, in a few words; undefined for a valid log. A link may contain
 * anything: every event is checked, the log must be that of one complete run, and it is reduced here once
 * before it is shown. A long log is checked in slices, so that the page can handle input in between.
 */
export async function problemOfLog(log: readonly RunEvent[]): Promise<string | undefined> {
  const problem = await problemOfEvents(log);
  if (problem !== undefined) return problem;
  const pause = createTimeSlices();
  try {
    const reducer = createReducer();
    for (const event of log) {
      reducer.apply(event);
      const turn = pause();
      if (turn !== undefined) await turn;
    }
    const state = reducer.snapshot();
    if (state.status === 'waiting' && hasPending(state)) return 'it has no end';
    await pause();
    toTranscript(state);
    return undefined;
  } catch {
    return CONTRADICTION;
  }
}

/** Checks the same without reducing the log: its events may still contradict each other. */
export async function problemOfEvents(
  log: readonly RunEvent[],
  { isStored = false }: LogCheck = {},
): Promise<string | undefined> {
  const [first] = log;
  const last = log.at(-1);
  if (first?.type !== 'run-start' || (!isStored && last?.type !== 'run-end')) {
    return 'it has no start or no end';
  }
  const { entries, messageLength } = defaultLimits;
  // a stored run may have been continued several times, and an earlier version stored longer messages
  const countEvent = createEventCounter(isStored ? { messageLength } : { entries });
  const pause = createTimeSlices();
  let time = 0;
  for (const [index, event] of log.entries()) {
    const excess = countEvent(event);
    if (excess !== undefined) return `it has ${excess}`;
    if (!isRunEvent(event) || event.seq !== index) return `its event ${index + 1} is not valid`;
    if (event.t < time || event.t > MAX_RUN_MS) return 'its times are not in order';
    time = event.t;
    const isInner = index > 0 && index < log.length - 1;
    // a fork, a retry and a continued run have a `run-resume` inside
    if (isInner && (event.type === 'run-start' || event.type === 'run-end')) {
      return 'it contains more than one run';
    }
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  return undefined;
}
