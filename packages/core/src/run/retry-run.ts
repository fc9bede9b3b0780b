import { CuelineError } from '../base/errors.ts';
import type { RunEvent } from '../log/events.ts';
import { isGone, type Attempt, type LostConnection } from './attempt.ts';
import { refused, type Attempts } from './attempts.ts';
import { keepFinishedSteps, type KeptSteps } from './keep-steps.ts';
import type { AttemptInput } from './attempt-input.ts';

/** What a retry needs of its run. */
export type RetriedRun = {
  readonly attempts: Pick<Attempts, 'shown' | 'replace'>;
  log(): readonly RunEvent[];
  /** True for a replay, which can only start at its beginning. */
  replays(): boolean;
  /** Continues work whose connection was lost. */
  find(lost: LostConnection, key: string | undefined): Attempt;
  /** Starts the shown conversation again, with what was kept of it. */
  resume(opening: AttemptInput): Promise<unknown>;
};

/**
 * Tries the last turn of a run again. Without `from`, lost work is followed again if it still exists; otherwise it is
 * tried again
 * from the log. Rejects with `invalid_options`.
 */
export function retryRun(run: RetriedRun, from: number | undefined): Promise<unknown> {
  const { shown } = run.attempts;
  if (from === undefined && shown?.lost !== undefined) return findAgain(run, shown.lost, shown.key);
  const log = run.log();
  const [first] = log;
  if (first?.type !== 'run-start') {
    return refused(
      new CuelineError('invalid_options', 'Nothing has run that could be tried again. Call start(input).'),
    );
  }
  let kept: KeptSteps;
  try {
    kept = keepFinishedSteps(log, run.replays() ? 0 : from);
  } catch (error) {
    return refused(error);
  }
  run.attempts.replace();
  return run.resume({ ...kept, shows: first.messages });
}

function findAgain(run: RetriedRun, lost: LostConnection, key: string | undefined): Promise<unknown> {
  const found = run.find(lost, key);
  const result = found.result.catch((error: unknown) => {
    if (run.attempts.shown !== found || !isGone(error)) throw error;
    return retryRun(run, undefined);
  });
  // like every start, it may be ignored
  result.catch(() => {});
  return result;
}
