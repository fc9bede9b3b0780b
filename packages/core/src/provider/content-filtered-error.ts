import { CuelineError } from '../base/errors.ts';

/** Returns the error for the finish reason `content-filter`: the provider or the model has refused to answer. */
export function contentFilteredError(details: Record<string, unknown> = {}): CuelineError {
  return new CuelineError(
    'content_filter',
    "The provider's content filter stopped the answer, so it is incomplete, and none of its tool calls were made. Change what the model is asked; the same request is refused again.",
    { details: { finishReason: 'content-filter', ...details } },
  );
}
