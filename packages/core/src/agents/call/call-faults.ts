import { CuelineError } from '../../base/errors.ts';

/** No answer could be used, as often as was allowed. */
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

/** A tool call has no result, and will get none. */
export function unansweredCallError(name: string): CuelineError {
  return new CuelineError(
    'script_error',
    `A tool call of agent "${name}" waits for an answer that nobody can give it. Give the tool a function; for an approval, define it with { needsApproval: true }, and the run asks for it.`,
  );
}

/** Somebody else said that it is enough. */
export function endedEarlyError(name: string): CuelineError {
  return new CuelineError(
    'budget_exceeded',
    `The call of agent "${name}" was ended before it had an answer. Its options.stopWhen may be too narrow.`,
  );
}
