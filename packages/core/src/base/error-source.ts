import { CuelineError, thrownMessage, type ErrorSource } from './errors.ts';
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

/** Returns the message of a thrown value, at most 10,000 characters of it. Never throws. */
export function thrownText(error: unknown): string {
  const text = thrownMessage(error);
  return text.length > 10_000 ? `${shorten(text, 10_000)} [cut off: ${text.length} characters]` : text;
}

/** Returns the first line of a thrown error, and `unknown reason` for anything else. Never throws. */
export function reasonOf(thrown: unknown): string {
  return isError(thrown) ? thrownText(thrown).split('\n')[0]! : 'unknown reason';
}

/** Returns the name of a thrown error; undefined for anything without one. Never throws. */
export function thrownName(error: unknown): string | undefined {
  try {
    const { name } = (error ?? {}) as { name?: unknown };
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}

/** True for an error of any realm, such as another frame's. Never throws. */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
  } catch {
    return false;
  }
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
