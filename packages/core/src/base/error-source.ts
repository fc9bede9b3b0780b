import { CuelineError, type ErrorSource } from './errors.ts';
import { shorten } from './quote-value.ts';

const sources = new WeakMap<object, ErrorSource>();

/** Notes the source of an error's text. Returns the error. */
export function withSource<Thrown extends object>(error: Thrown, source: ErrorSource): Thrown {
  sources.set(error, source);
  return error;
}

/**
 * Returns the source of an error's text: as {@link withSource} or a `CuelineError` says. A `CuelineError` without a
 * source is meant to be read. Any other error comes from the code that `thrower` names.
 */
export function sourceOf(error: unknown, thrower: ErrorSource): ErrorSource {
  const known = typeof error === 'object' && error !== null ? sources.get(error) : undefined;
  if (known !== undefined) return known;
  return CuelineError.isInstance(error) ? (error.source ?? 'cueline') : thrower;
}

/**
 * Returns a thrown value as a text of at most 10,000 characters: an error's message, an object as JSON, anything else
 * as a string. Never throws, even if a getter does.
 */
export function thrownText(error: unknown): string {
  let text = 'an object that cannot be read';
  try {
    const { message } = (error ?? {}) as { message?: unknown };
    text = typeof message === 'string' && message !== '' ? message : (jsonOf(error) ?? String(error));
  } catch {
    // a getter or a proxy that throws, a cycle
  }
  return text.length > 10_000 ? `${shorten(text, 10_000)} [cut off: ${text.length} characters]` : text;
}

function jsonOf(thrown: unknown): string | undefined {
  return typeof thrown === 'object' && !(thrown instanceof Error) ? JSON.stringify(thrown) : undefined;
}

/** Returns the source of the reason why a call's arguments cannot be used: the model, or a schema that threw. */
export function invalidCallSource(error: unknown): ErrorSource {
  let cause: unknown = error;
  for (let depth = 0; depth < 8 && typeof cause === 'object' && cause !== null; depth += 1) {
    const known = sources.get(cause);
    if (known !== undefined) return known;
    const { name, issues, cause: next } = cause as { name?: unknown; issues?: unknown; cause?: unknown };
    const isVerdict = Array.isArray(cause) || Array.isArray(issues);
    if (isVerdict || name === 'AI_NoSuchToolError' || name === 'AI_JSONParseError') return 'model';
    if (CuelineError.isInstance(cause))
      return cause.code === 'parse_failed' ? 'model' : (cause.source ?? 'cueline');
    cause = next;
  }
  return 'tool';
}
