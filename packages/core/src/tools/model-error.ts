import { withSource } from '../base/error-source.ts';
import type { ErrorSource } from '../base/errors.ts';

/** An error whose words are meant for the model: it is told them as they are, without an error's name before them. */
export function toModelError(message: string, cause?: unknown, source: ErrorSource = 'cueline'): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  error.name = '';
  return withSource(error, source);
}
