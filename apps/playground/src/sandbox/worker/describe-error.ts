import { CuelineError } from '@cueline/core';

/**
 * An error in one line: `ReferenceError: foo is not defined`, or the bare message of a plain Error. Never throws,
 * even if a getter or a proxy of the script does.
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
    const text = JSON.stringify(value) ?? String(value);
    return text === '{}' ? textOfInstance(value as object) : text;
  } catch {
    // A bigint, or a cyclic object.
  }
  try {
    return String(value);
  } catch {
    return `a value of type ${typeof value}`;
  }
}

/** A Map, a Response or an instance of the script's class, which has nothing that JSON shows. */
function textOfInstance(value: object): string {
  const { constructor, message } = value as { constructor?: { name?: string }; message?: unknown };
  const name = constructor?.name ?? 'Object';
  if (typeof message === 'string' && message !== '') return `${name}: ${message}`;
  return name === 'Object' ? '{}' : `${name} {}`;
}
