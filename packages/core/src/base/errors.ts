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
  | 'content_filter'
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

/**
 * Whose words an error has. `cueline`: ours, or those of a `CuelineError` that was thrown to be read. `model`: the
 * model's or its provider's. The others are what the app's own code threw, which may name an address, a query or a
 * file: a `tool`, the `prompt` function (an agent's or a task's `extend`, too), a `hook` or callback, a task's
 * `validation`, or code of which only that is known (`unknown`).
 */
export type ErrorSource = 'cueline' | 'model' | 'tool' | 'prompt' | 'hook' | 'validation' | 'unknown';

/** A {@link CuelineError} as plain JSON, the form in which a run's log keeps it. */
export type SerializedError = {
  code: CuelineErrorCode;
  /** One or two sentences: what happened, and what to do next. */
  message: string;
  /** Structured facts, such as `{ statusCode: 401 }`. Never a key. */
  details?: Record<string, unknown>;
  /** Whose words the message has; missing where they are Cueline's own. */
  source?: ErrorSource;
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
  declare readonly details?: Record<string, unknown>;
  /** Whose words the message has; missing where they are Cueline's own, or meant to be read. */
  declare readonly source?: ErrorSource;

  constructor(
    code: CuelineErrorCode,
    message: string,
    options: {
      cause?: unknown;
      details?: Record<string, unknown> | undefined;
      source?: ErrorSource | undefined;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.details !== undefined) this.details = options.details;
    if (options.source !== undefined) this.source = options.source;
  }

  /** True for a CuelineError of any copy of this package, also across realms. */
  static isInstance(value: unknown): value is CuelineError {
    try {
      return isObject(value) && value['name'] === 'CuelineError' && 'code' in value;
    } catch {
      // a getter or a proxy of foreign code
      return false;
    }
  }

  /** The error as the log keeps it: code, message, details; without cause and stack. */
  toJSON(): SerializedError {
    const json: SerializedError = {
      code: this.code,
      message: this.message,
      ...(this.details === undefined ? {} : { details: this.details }),
      ...(this.source === undefined ? {} : { source: this.source }),
    };
    originals.set(json, this);
    return json;
  }

  /**
   * The error that {@link CuelineError.toJSON} came from: the same one, with its stack and cause, where `json` is what
   * `toJSON` returned in this process; one without them where it has been stored or sent.
   */
  static fromJSON(json: SerializedError): CuelineError {
    const original = originals.get(json);
    if (original !== undefined) return original;
    const { code, message, details, source } = json;
    return new CuelineError(code, message, { details, source });
  }
}

/** The errors of this process, by what {@link CuelineError.toJSON} made of them. */
const originals = new WeakMap<SerializedError, CuelineError>();

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
