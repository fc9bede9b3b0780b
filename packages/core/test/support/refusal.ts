import { CuelineError } from '@cueline/core';

/** The code of what a function throws; undefined if it throws nothing. */
export function thrownCode(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return CuelineError.isInstance(error) ? error.code : `not ours: ${String(error)}`;
  }
}

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
