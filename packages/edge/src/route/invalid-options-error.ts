import { CuelineError } from '@cueline/core';

/** `where` is the function that got the options. */
export function invalidOptionsError(message: string, where = 'createPromptRoute'): CuelineError {
  return new CuelineError('invalid_options', `${where}: ${message}`);
}
