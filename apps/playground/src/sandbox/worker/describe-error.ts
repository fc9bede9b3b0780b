import { CuelineError } from '@cueline/core';

/**
 * An error in one line: `ReferenceError: foo is not defined`, or the bare message of a plain Error. Never throws, even if
 * a getter or a proxy of the script does.
 */
export function describeError(error: unknown): string {
  try {
    if (error instanceof Error) return textOfError(error);
  } catch {
    // described like any other value
  }
  return `The script threw ${textOf(error).slice(0, 500)}`;
}

function textOfError(error: Error): string {
  const plain = error.name === 'Error' || CuelineError.isInstance(error);
  return plain ? error.message || 'An error without a message.' : `${error.name}: ${error.message}`;
}

function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A bigint, or a cyclic object.
  }
  try {
    return String(value);
  } catch {
    return `a value of type ${typeof value}`;
  }
}
