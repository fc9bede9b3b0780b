import type { FinishReason } from 'ai';
import type { CuelineError } from '../base/errors.ts';
import type { RunOutcome } from '../log/events.ts';

/** The end of a run or an agent. */
export type Ending = { outcome: RunOutcome; finishReason?: FinishReason; error?: CuelineError };
