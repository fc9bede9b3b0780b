import { CuelineError } from './errors.ts';

/** Returns the error for a part of a message that cannot be sent: its path, and what is wrong. */
export function messagePartError(path: string, problem: string): CuelineError {
  return new CuelineError('invalid_definition', `${path} ${problem}`, { details: { path } });
}
