import { CuelineError } from '@cueline/core';

/** `where` is the function that got the options. */
export function invalidOptionsError(message: string, where = 'createPromptRoute'): CuelineError {
  return new CuelineError('invalid_options', `${where}: ${message}`);
}

/** Returns the error for a function among the options that returned a promise. `write` is an example of one. */
export function promisedError(option: string, write: string): CuelineError {
  return invalidOptionsError(
    `${option} returned a promise. Get what it needs before, and write a function without async: ${write}.`,
  );
}
