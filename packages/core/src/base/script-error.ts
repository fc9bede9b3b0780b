import { thrownText } from './error-source.ts';
import { CuelineError, type ErrorSource } from './errors.ts';
import { reportInDevelopment } from './report-in-development.ts';

/**
 * Returns the error that a function of the app threw: a CuelineError as it is, any other with the function's name.
 * During development, the console shows the original error, because only its message is passed on.
 */
export function scriptError(where: string, error: unknown, source: ErrorSource = 'hook'): CuelineError {
  if (CuelineError.isInstance(error)) return error;
  reportInDevelopment(error);
  return new CuelineError('script_error', `${where} threw: ${thrownText(error)}`, { cause: error, source });
}
