import type { FinishReason } from 'ai';
import type { CuelineError } from '../base/errors.ts';
import type { RunOutcome } from '../log/events.ts';

/** The end of a run or an agent. */
export type Ending = { outcome: RunOutcome; finishReason?: FinishReason; error?: CuelineError };

/** What can end a loop before the model is done, and the advice against it. */
export const earlyEnds = {
  stopWhen: { what: 'stopWhen stopped the model', advice: 'Write a condition that is met later.' },
  call: {
    what: 'A call of a tool without execute stopped the model',
    advice: 'Give that tool an execute, or define it with prompt.defTool if the page has its function.',
  },
} as const;

export type EarlyEnd = keyof typeof earlyEnds;
