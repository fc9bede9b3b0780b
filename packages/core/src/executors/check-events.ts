import { CuelineError } from '../base/errors.ts';
import { isUnawaited } from '../base/is-promise.ts';

/** Returns what an executor has returned. @throws CuelineError `invalid_options` for a promise of the events */
export function checkEvents<Events>(events: Events): Events {
  if (!isUnawaited(events)) return events;
  throw new CuelineError(
    'invalid_options',
    'The executor returned a promise. Write async *start(), not async start().',
  );
}
