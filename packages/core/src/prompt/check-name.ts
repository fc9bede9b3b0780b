import { CuelineError } from '../base/errors.ts';

/** Refuses a missing or empty name. `example` shows how to write one. @throws CuelineError `invalid_definition` */
export function checkName(whose: string, name: unknown, example: string): void {
  if (typeof name === 'string' && name.trim() !== '') return;
  throw new CuelineError('invalid_definition', `${whose} needs a name: ${example}.`);
}
