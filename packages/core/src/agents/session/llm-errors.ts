import type { CuelineError, CuelineErrorCode } from '../../base/errors.ts';
import { defaultTimeouts } from '../../provider/call-timeouts.ts';
import type { RetrySettings } from '../../provider/with-retries.ts';

/** How many turns in a row may fail before the session fails. */
const MAX_FAILED_TURNS = 5;

/** Errors that would also end the next turn. */
const permanentCodes: ReadonlySet<CuelineErrorCode> = new Set([
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

/** Decides after which failures of the model a session continues. */
export type LlmErrors = {
  /** True if the session continues with the error in its conversation. */
  repairs(error: CuelineError): boolean;
  /** Called after a successful turn. */
  succeeded(): void;
  /** Takes over a failed turn of another process, after which the session continued. */
  failed(): void;
};

/** With `compacts`, a conversation that is too long is summarized before the next turn. */
export function createLlmErrors(compacts: boolean): LlmErrors {
  let failed = 0;
  return {
    repairs(error) {
      failed += 1;
      // the provider named a time that is too late to wait for
      const isFarOff = error.details?.['retryAt'] !== undefined;
      // no turn brings new credit; Anthropic reports the lack of it with 400
      const status = error.details?.['statusCode'];
      const isUnpaid = status === 402 || (status === 400 && error.code === 'rate_limited');
      const isTooLong = error.code === 'context_overflow' && !compacts;
      return (
        !(permanentCodes.has(error.code) || isFarOff || isUnpaid || isTooLong) && failed < MAX_FAILED_TURNS
      );
    },
    succeeded() {
      failed = 0;
    },
    failed() {
      failed += 1;
    },
  };
}

/** Returns the error as the model reads it. */
export function errorMessage(error: CuelineError): string {
  // a page must not show texts of the app's own code
  const why = error.source === 'unknown' ? '.' : `: ${error.message}`;
  return `The last model call failed, and nothing of its answer was kept${why} Go on with your task from where it was before.`;
}

/** Returns the limits of a call with this duration: each of its phases may take as long. */
export function llmTimeouts(ms: number | undefined): RetrySettings['timeouts'] {
  const setting = 'llmTimeout';
  if (ms === undefined) return { setting };
  const atLeast = (usual: number): number => Math.max(usual, ms);
  return {
    firstChunkMs: atLeast(defaultTimeouts.firstChunkMs),
    chunkMs: atLeast(defaultTimeouts.chunkMs),
    callMs: ms,
    setting,
  };
}
