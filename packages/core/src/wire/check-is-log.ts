import { CuelineError } from '../base/errors.ts';
import { quoteValue } from '../base/quote-value.ts';

/**
 * Refuses anything but a list of events, such as the run itself. `whose` names what takes it.
 * @throws CuelineError `invalid_options`
 */
export function checkIsLog(whose: string, events: unknown): void {
  if (!Array.isArray(events)) throw noLogError(whose, events);
}

/** Returns the error for a value that is not a run's events. */
export function noLogError(whose: string, value: unknown): CuelineError {
  return new CuelineError(
    'invalid_options',
    `${whose} takes the events of a run, but got ${quoteValue(value)}. Pass run.log().`,
  );
}
