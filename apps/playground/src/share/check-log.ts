import { reduceAll, type RunEvent } from '@cueline/core';
import { createEventCounter } from '@cueline/core/link';
import * as z from 'zod';
import { isRunEvent } from '../sandbox/host/check-event.ts';
import { defaultLimits } from '../sandbox/limits.ts';
import { toTranscript } from '../transcript/view-model.ts';

// The page's policy forbids `new Function`, and a browser reports the attempt.
z.config({ jitless: true });

/** The longest that a run may claim to have taken, in milliseconds: a year. */
const LONGEST = 365 * 24 * 60 * 60_000;

/**
 * Why a log cannot be shown, in a few words; undefined for one that can. What a stranger's link holds may be anything:
 * the log has to be that of one whole run, event by event, and what draws it is tried out here before it draws.
 */
export function problemOfLog(log: readonly RunEvent[]): string | undefined {
  const [first] = log;
  const last = log.at(-1);
  if (first?.type !== 'run-start' || last?.type !== 'run-end') return 'it has no beginning or no end';
  const countEvent = createEventCounter(defaultLimits);
  let time = 0;
  for (const [index, event] of log.entries()) {
    const excess = countEvent(event);
    if (excess !== undefined) return `it has ${excess}`;
    if (!isRunEvent(event) || event.seq !== index) return `its event ${index + 1} is none`;
    if (event.t < time || event.t > LONGEST) return 'its times are none';
    time = event.t;
    const isInner = index > 0 && index < log.length - 1;
    if (isInner && ['run-start', 'run-resume', 'run-end'].includes(event.type)) {
      return 'it is not that of one run';
    }
  }
  try {
    const state = reduceAll(log);
    if (state.status === 'waiting' && state.requests.some(({ answer }) => answer === undefined)) {
      return 'it has no end';
    }
    toTranscript(state);
    return undefined;
  } catch {
    return 'it does not fit together';
  }
}
