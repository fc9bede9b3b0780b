/** What went wrong, as a word that code can branch on. */
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
  | 'tasks_incomplete'
  | 'budget_exceeded'
  | 'loop_detected'
  | 'parse_failed'
  /** The page or process that ran it went away. */
  | 'interrupted'
  | 'busy'
  | 'storage_failed'
  | 'sandbox_unresponsive'
  | 'sandbox_refused'
  // links and stored logs
  | 'link_cut_off'
  | 'link_foreign'
  | 'too_large';

/** A {@link CuelineError} as plain JSON, the form in which a run's log keeps it. */
export type SerializedError = {
  code: CuelineErrorCode;
  /** One or two sentences: what happened, and what to do next. */
  message: string;
  /** Structured facts, such as `{ statusCode: 401 }`. Never a key. */
  details?: Record<string, unknown>;
};

/**
 * The one error class of Cueline. Its message says what happened and what to type next; `code` says it to a program.
 *
 * @example
 * catch (error) { if (CuelineError.isInstance(error) && error.code === 'missing_key') askForKey(); }
 */
export class CuelineError extends Error {
  override readonly name: 'CuelineError' = 'CuelineError';
  readonly code: CuelineErrorCode;
  readonly details: Record<string, unknown> | undefined;

  constructor(
    code: CuelineErrorCode,
    message: string,
    options: { cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
  }

  /** True for a CuelineError of any copy of this package, also across realms. */
  static isInstance(value: unknown): value is CuelineError {
    return isObject(value) && value['name'] === 'CuelineError' && 'code' in value;
  }

  /** The error as the log keeps it: code, message, details; without cause and stack. */
  toJSON(): SerializedError {
    return {
      code: this.code,
      message: this.message,
      ...(this.details === undefined ? {} : { details: this.details }),
    };
  }

  /** The error that {@link CuelineError.toJSON} came from, without its cause. */
  static fromJSON(json: SerializedError): CuelineError {
    return new CuelineError(
      json.code,
      json.message,
      json.details === undefined ? {} : { details: json.details },
    );
  }
}

/** What a function of the script's threw: our own errors as they are, others with the name of the function. */
export function scriptError(where: string, error: unknown): CuelineError {
  if (CuelineError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new CuelineError('script_error', `${where} threw: ${message}`, { cause: error });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
