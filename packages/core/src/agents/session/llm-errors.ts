import type { CuelineError, CuelineErrorCode } from '../../base/errors.ts';
import type { RetrySettings } from '../../provider/with-retries.ts';
import { defaultTimeouts } from '../../provider/call-timeouts.ts';

/** How many turns in a row may fail before the session does. */
const MAX_FAILED_TURNS = 5;

/** What would be the same at the next turn. */
const lasting: ReadonlySet<CuelineErrorCode> = new Set([
  'auth',
  'missing_key',
  'unknown_model',
  'missing_package',
  'model_denied',
  'invalid_options',
  'redirect_blocked',
  'content_filter',
  'aborted',
]);

/** Decides which failures of the model a session goes on after. */
export type LlmErrors = {
  /** True where the session goes on with the error in its conversation. */
  repairs(error: CuelineError): boolean;
  /** A turn is over that went well. */
  succeeded(): void;
};

/** `compacts`: a conversation that has become too long is summarised before the next turn. */
export function createLlmErrors(compacts: boolean): LlmErrors {
  let failed = 0;
  return {
    repairs(error) {
      failed += 1;
      // the provider has said when to come back, which is later than anybody waits
      const isFarOff = error.details?.['retryAt'] !== undefined;
      // no turn brings new credit
      const isUnpaid = error.details?.['statusCode'] === 402;
      const isTooLong = error.code === 'context_overflow' && !compacts;
      return !(lasting.has(error.code) || isFarOff || isUnpaid || isTooLong) && failed < MAX_FAILED_TURNS;
    },
    succeeded() {
      failed = 0;
    },
  };
}

/** What the model reads of it. */
export function errorMessage(error: CuelineError): string {
  // what a page shows of it must not have the words of the app's own code
  const why = error.source === 'unknown' ? '.' : `: ${error.message}`;
  return `The last model call failed, and nothing of its answer was kept${why} Go on with your task from where it was before.`;
}

/** The limits of a call that may take so long: each of its phases may, too. */
export function llmTimeouts(ms: number | undefined): RetrySettings['timeouts'] {
  if (ms === undefined) return {};
  const atLeast = (usual: number): number => Math.max(usual, ms);
  return {
    firstChunkMs: atLeast(defaultTimeouts.firstChunkMs),
    chunkMs: atLeast(defaultTimeouts.chunkMs),
    callMs: ms,
  };
}
