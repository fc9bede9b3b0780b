import { withSource } from '../base/error-source.ts';
import type { ErrorSource } from '../base/errors.ts';

/** Returns an error for the model. The model reads its message without an error name before it. */
export function toModelError(message: string, cause?: unknown, source: ErrorSource = 'cueline'): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  error.name = '';
  return withSource(error, source);
}
