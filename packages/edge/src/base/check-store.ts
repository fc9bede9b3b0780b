import { CuelineError } from '@cueline/core';
import { isUnawaited } from '@cueline/core/server';

/**
 * Checks that a store has its methods: without them, each request would be refused as if the store were unavailable.
 * `write` is an example of what to write.
 * @throws CuelineError `invalid_options`
 */
export function checkStore<Store extends object>(
  where: string,
  store: Store | undefined,
  methods: readonly (keyof Store & string)[],
  write: string,
): void {
  if (store === undefined) return;
  // a caller may ignore the types
  const members = Object(store) as Readonly<Record<string, unknown>>;
  const missing = methods.find((name) => typeof members[name] !== 'function');
  if (missing === undefined) return;
  const advice = isUnawaited(store) ? 'It is a promise: await it' : `Write ${write}`;
  throw new CuelineError('invalid_options', `${where} has no method "${missing}". ${advice}.`);
}
