import { thrownText } from './error-source.ts';
import { CuelineError, type ErrorSource } from './errors.ts';
import { reportInDevelopment } from './report-in-development.ts';

/**
 * What a function of the script threw: our own errors as they are, others with the name of the function. While the app is
 * being developed, the console shows the error itself, since only its message goes on from here.
 */
export function scriptError(where: string, error: unknown, source: ErrorSource = 'hook'): CuelineError {
  if (CuelineError.isInstance(error)) return error;
  reportInDevelopment(error);
  return new CuelineError('script_error', `${where} threw: ${thrownText(error)}`, { cause: error, source });
}
