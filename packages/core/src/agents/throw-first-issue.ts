import { CuelineError, type CuelineErrorCode } from '../base/errors.ts';

/** Refuses settings that have an issue. `whose` begins the message. @throws CuelineError for the first issue */
export function throwFirstIssue(code: CuelineErrorCode, issues: Iterable<string>, whose?: string): void {
  for (const issue of issues)
    throw new CuelineError(code, whose === undefined ? issue : `${whose}: ${issue}`);
}
