import { CuelineError, type CuelineErrorCode } from '../base/errors.ts';

/** Refuses settings that have a fault. `whose` begins the message. @throws CuelineError for the first fault */
export function refuseFaults(code: CuelineErrorCode, faults: Iterable<string>, whose?: string): void {
  for (const fault of faults)
    throw new CuelineError(code, whose === undefined ? fault : `${whose}: ${fault}`);
}
