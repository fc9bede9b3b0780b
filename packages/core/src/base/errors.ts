import { withoutUndefined } from './without-undefined.ts';

/** The kind of an error, as a word that code can branch on. */
export type CuelineErrorCode =
  // programmer mistakes: thrown before a run starts
  | 'invalid_definition'
  | 'invalid_options'
  | 'unknown_model'
  | 'alias_cycle'
  | 'missing_key'
  | 'missing_package'
  | 'missing_setting'
  | 'invalid_base_url'
  /** A prompt was started with input that does not fit its schema. */
  | 'invalid_input'
  /** Prompts of a library are faulty, or cannot be read. */
  | 'invalid_library'
  /** A library has no such prompt, or no such version of it. */
  | 'unknown_prompt'
  /** A prompt of a library was expanded with parameters that do not fit. */
  | 'invalid_parameter'
  // endings of a run
  | 'aborted'
  | 'timeout'
  | 'network'
  | 'redirect_blocked'
  | 'auth'
  | 'model_denied'
  | 'rate_limited'
  | 'overloaded'
  | 'bad_request'
  /** The conversation is longer than the model can read. */
  | 'context_overflow'
  | 'stream_truncated'
  | 'stream_malformed'
  | 'provider_error'
  | 'script_error'
  | 'content_filter'
  | 'tasks_incomplete'
  | 'budget_exceeded'
  | 'loop_detected'
  | 'parse_failed'
  /** A cassette has no answer to the request. */
  | 'not_recorded'
  /** The page or process that ran it is gone. */
  | 'interrupted'
  | 'busy'
  | 'storage_failed'
  | 'sandbox_unresponsive'
  | 'sandbox_refused'
  // links and stored logs
  | 'link_cut_off'
  | 'link_foreign'
  | 'too_large';

/**
 * The source of an error's text. `cueline`: Cueline, or a `CuelineError` that was thrown to be read. `model`: the
 * model or its provider. The others are errors of the app's own code, which may contain an address, a query or a file
 * name: a `tool`, the `prompt` function (also an agent's, or a task's `extend`), a `hook` or callback (also a function
 * in `providers`, or `wrapModel`), a task's `validation`, or unidentified code (`unknown`).
 */
export type ErrorSource = 'cueline' | 'model' | 'tool' | 'prompt' | 'hook' | 'validation' | 'unknown';

/** A {@link CuelineError} as plain JSON, the form in which a run's log keeps it. */
export type SerializedError = {
  code: CuelineErrorCode;
  /** One or two sentences: what happened, and what to do next. */
  message: string;
  /** Structured data, such as `{ statusCode: 401 }`. Never a key. */
  details?: Record<string, unknown>;
  /** The source of the message; missing if it is Cueline itself. */
  source?: ErrorSource;
};

/**
 * Cueline's only error class. Its message says what happened and what to do next; `code` says it to a program.
 *
 * @example
 * catch (error) { if (CuelineError.isInstance(error) && error.code === 'missing_key') askForKey(); }
 */
export class CuelineError extends Error {
  override readonly name: 'CuelineError' = 'CuelineError';
  readonly code: CuelineErrorCode;
  declare readonly details?: Record<string, unknown>;
  /** The source of the message; missing if it is Cueline itself, or if the error was thrown to be read. */
  declare readonly source?: ErrorSource;

  constructor(
    code: CuelineErrorCode,
    message: string,
    {
      cause,
      details,
      source,
    }: {
      cause?: unknown;
      details?: Record<string, unknown> | undefined;
      source?: ErrorSource | undefined;
    } = {},
  ) {
    super(message, withoutUndefined({ cause }));
    this.code = code;
    Object.assign(this, withoutUndefined({ details, source }));
  }

  /** True for a CuelineError of any copy of this package, also across realms. */
  static isInstance(value: unknown): value is CuelineError {
    try {
      const error = (value ?? {}) as Partial<CuelineError>;
      return error.name === 'CuelineError' && typeof error.toJSON === 'function';
    } catch {
      // a getter or a proxy of foreign code
      return false;
    }
  }

  /** Returns the error as the log has it: code, message, details; without cause and stack. */
  toJSON(): SerializedError {
    const { code, message, details, source } = this;
    const json: SerializedError = withoutUndefined({ code, message, details, source });
    originals.set(json, this);
    return json;
  }

  /**
   * Returns the error that {@link CuelineError.toJSON} came from: the same object, with its stack and cause, if
   * `json` was returned by `toJSON` in this process, otherwise one without them.
   */
  static fromJSON(json: SerializedError): CuelineError {
    const { code, message, details, source } = json;
    return originals.get(json) ?? new CuelineError(code, message, { details, source });
  }
}

/** The errors of this process, by the results of {@link CuelineError.toJSON}. */
const originals = new WeakMap<SerializedError, CuelineError>();

/**
 * Returns the message of a thrown value: an error's own, an object as JSON, anything else as a string. Never throws,
 * even if a getter does.
 */
export function thrownMessage(thrown: unknown): string {
  try {
    const { message } = (thrown ?? {}) as { message?: unknown };
    return typeof message === 'string' && message !== '' ? message : (jsonOf(thrown) ?? String(thrown));
  } catch {
    // a getter or a proxy that throws, a cycle
    return 'an object that cannot be read';
  }
}

function jsonOf(thrown: unknown): string | undefined {
  return typeof thrown === 'object' && !(thrown instanceof Error) ? JSON.stringify(thrown) : undefined;
}
