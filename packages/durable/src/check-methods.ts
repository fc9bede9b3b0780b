import { CuelineError } from '@cueline/core';
import { isUnawaited } from '@cueline/core/server';

/**
 * Checks that an object has its methods, because a wrong one would fail later, or leave a run without an end. `write`
 * is an example of what to write.
 * @throws CuelineError `invalid_options`
 */
export function checkMethods(what: string, given: unknown, methods: readonly string[], write: string): void {
  const members = Object(given) as Record<string, unknown>;
  const missing = methods.find((name) => typeof members[name] !== 'function');
  if (missing === undefined) return;
  const advice = isUnawaited(given) ? 'It is a promise: await it' : `Write ${write}`;
  const found = given === undefined || given === null ? `is ${String(given)}` : `has no method "${missing}"`;
  throw new CuelineError('invalid_options', `${what} ${found}. ${advice}.`);
}
