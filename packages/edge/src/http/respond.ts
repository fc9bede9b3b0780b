/** The status of each reason to refuse a request. */
const statuses = {
  invalid_json: 400,
  invalid_body: 400,
  invalid_input: 400,
  invalid_length: 400,
  invalid_query: 400,
  unsupported_field: 400,
  unauthorized: 401,
  budget_exceeded: 402,
  origin_denied: 403,
  model_denied: 403,
  tool_denied: 403,
  unknown_path: 404,
  unknown_provider: 404,
  unknown_prompt: 404,
  unknown_run: 404,
  unknown_share: 404,
  method_not_allowed: 405,
  body_timeout: 408,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  too_many_at_once: 429,
  client_closed: 499,
  internal: 500,
  upstream_unreachable: 502,
  upstream_broken: 502,
  upstream_redirect: 502,
  upstream_content_type: 502,
  upstream_auth: 502,
  upstream_unpaid: 502,
  upstream_denied: 502,
  upstream_too_large: 502,
  upstream_malformed: 502,
  unavailable: 503,
  total_exceeded: 503,
  upstream_timeout: 504,
} as const;

/** The reason for a refusal, as a word that code can branch on. */
export type HttpErrorCode = keyof typeof statuses;

/** A refused request. Thrown where the reason is found, and answered in one place with {@link errorResponse}. */
export class HttpError extends Error {
  override readonly name: 'HttpError' = 'HttpError';
  readonly code: HttpErrorCode;
  readonly status: number;
  /** How long the requester should wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: HttpErrorCode,
    message: string,
    options: { retryAfterMs?: number; /** Stays on the server. */ cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = statuses[code];
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** True for a refusal. Never throws, whatever the code of an app has thrown. */
export function isHttpError(error: unknown): error is HttpError {
  try {
    return error instanceof HttpError;
  } catch {
    // a proxy that throws
    return false;
  }
}

/**
 * Headers of every response: intermediaries must not store, change or buffer it, and a browser must not guess its
 * type.
 */
export const answerHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store, no-transform',
  'x-content-type-options': 'nosniff',
  // nginx buffers responses by default
  'x-accel-buffering': 'no',
  vary: 'origin',
};

/** Returns a response in JSON. `headers` are added to {@link answerHeaders}. */
export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...answerHeaders, 'content-type': 'application/json', ...headers },
  });
}

/**
 * Returns the response for a thrown value: an {@link HttpError} as `{ error: { code, message } }` with its status, and
 * anything else as 500 without its text, which may contain a key or a file name. `type` is the error's, if its reader
 * distinguishes it by that.
 */
export function errorResponse(
  error: unknown,
  headers: Readonly<Record<string, string>> = {},
  type?: string,
): Response {
  const httpError = isHttpError(error)
    ? error
    : new HttpError('internal', 'Something went wrong on this server. Try again in a while.');
  const { status, code, message, retryAfterMs } = httpError;
  // a store of the app may return anything
  const retry = Number.isFinite(retryAfterMs) ? retryHeaders(Number(retryAfterMs)) : {};
  return jsonResponse(
    status,
    { error: { ...(type === undefined ? {} : { type }), code, message } },
    { ...headers, ...retry },
  );
}

function retryHeaders(ms: number): Record<string, string> {
  const whole = Math.max(0, Math.ceil(ms));
  return { 'retry-after': String(Math.ceil(whole / 1_000)), 'retry-after-ms': String(whole) };
}
