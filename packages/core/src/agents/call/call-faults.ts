import { CuelineError } from '../../base/errors.ts';

/** Returns the error for too many unusable answers. */
export function unusableAnswersError(
  name: string,
  answers: number,
  { fault, cause }: { fault?: string; cause?: unknown },
): CuelineError {
  const tries = answers === 1 ? 'at its only try' : `in ${answers} tries`;
  return new CuelineError(
    'parse_failed',
    `Agent "${name}" gave no answer that could be used, ${tries}. The last fault: ${fault}`,
    cause === undefined ? {} : { cause },
  );
}

/** Returns the error for a tool call that will get no result. */
export function unansweredCallError(name: string): CuelineError {
  return new CuelineError(
    'script_error',
    `A tool call of agent "${name}" waits for an answer, but its tool has no function. Give it one; for an approval, define it with { needsApproval: true }, and the run asks for it.`,
  );
}

/** Returns the error for a call that was ended from outside. */
export function endedEarlyError(name: string): CuelineError {
  return new CuelineError(
    'budget_exceeded',
    `The call of agent "${name}" was ended before it had an answer. Its options.stopWhen may be too narrow.`,
  );
}
