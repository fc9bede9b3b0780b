import { CuelineError } from '@cueline/core';

/** An error in one line: `ReferenceError: foo is not defined`, or the bare message of a plain Error. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error))
    return `The script threw ${(JSON.stringify(error) ?? String(error)).slice(0, 500)}`;
  const plain = error.name === 'Error' || CuelineError.isInstance(error);
  return plain ? error.message || 'An error without a message.' : `${error.name}: ${error.message}`;
}
