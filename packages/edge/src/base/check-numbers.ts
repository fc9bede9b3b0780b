import { CuelineError } from '@cueline/core';

/**
 * Checks options that are limits: numbers of at least 1, Infinity included.
 * @throws CuelineError `invalid_options`
 */
export function checkNumbers(whose: string, limits: Readonly<Record<string, number | undefined>>): void {
  for (const [name, limit] of Object.entries(limits)) {
    // a caller may ignore the types; written so that NaN is refused
    if (limit === undefined || (typeof limit === 'number' && limit >= 1)) continue;
    throw new CuelineError(
      'invalid_options',
      `${whose}: ${name} is ${String(limit)}. Give a number of at least 1, or leave it out.`,
    );
  }
}
