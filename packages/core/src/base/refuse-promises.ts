import { CuelineError } from './errors.ts';
import { isUnawaited } from './is-promise.ts';

/**
 * Refuses a promise in place of some options or of one of them, which would otherwise count as an option without
 * content, such as limits that limit nothing.
 * @throws CuelineError `invalid_options`
 */
export function refusePromises(whose: string, options: object): void {
  if (isUnawaited(options)) throw promiseError(whose);
  let found: string | undefined;
  // all of them, because each handles a rejection
  for (const [name, value] of Object.entries(options)) if (isUnawaited(value)) found ??= name;
  if (found !== undefined) throw promiseError(`${whose}: ${found}`);
}

function promiseError(what: string): CuelineError {
  return new CuelineError('invalid_options', `${what} is a promise. Write await before it.`);
}
