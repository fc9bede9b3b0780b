import { CuelineError } from '@cueline/core';

/** What a function throws, as `code: message`; it must be a CuelineError. */
export function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (CuelineError.isInstance(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('did not throw');
}
