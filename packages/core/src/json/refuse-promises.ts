import { CuelineError } from '../base/errors.ts';
import { isUnawaited } from '../base/is-promise.ts';

/**
 * Refuses a promise in place of some options or of one of them, which would otherwise count as an option without
 * content, such as limits that limit nothing.
 * @throws CuelineError `invalid_options`
 */
export function refusePromises(whose: string, options: object): void {
  if (isPromiseObject(options)) throw promiseError(whose);
  let found: string | undefined;
  // all of them, because each handles a rejection
  for (const [name, value] of Object.entries(options)) if (isPromiseObject(value)) found ??= name;
  if (found !== undefined) throw promiseError(`${whose}: ${found}`);
}

/** True for a promise, but not for an object that has every method, such as a proxy for one in another process. */
function isPromiseObject(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Promise]' && isUnawaited(value);
}

function promiseError(what: string): CuelineError {
  return new CuelineError('invalid_options', `${what} is a promise. Write await before it.`);
}
