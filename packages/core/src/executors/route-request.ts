import { checkNames } from '../base/check-names.ts';
import { thrownText } from '../base/error-source.ts';
import { CuelineError, type CuelineErrorCode } from '../base/errors.ts';
import { scriptError } from '../base/script-error.ts';
import { untilAborted } from '../base/until-aborted.ts';
import { parseJson } from '../json/parse-json.ts';
import { redact } from '../json/redact.ts';
import { isBrowser, pageOrigin } from '../models/platform.ts';
import { toErrorCode } from '../models/refusal-codes.ts';
import type { Connectivity } from '../provider/connectivity.ts';

/** The options of {@link viaRoute}. */
export type RouteOptions = {
  /** Headers of every request, or a function that creates them each time, for example for a token that expires. */
  headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
    | undefined;
  /** Whether requests carry cookies, as in `fetch`. Default: its own, `same-origin`. */
  credentials?: 'include' | 'omit' | 'same-origin' | undefined;
  /** Sends the requests. A test can pass a route's own function instead. Default: `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /**
   * How often in a row to reconnect without a new event. Default 8, which takes more than half a minute. A start
   * without an answer is sent again twice at most, with a key, so that the route starts it once.
   */
  retries?: number | undefined;
  /**
   * How long to wait before the attempt with this number, from 1, in milliseconds. Default 500, doubled each time up to
   * 10,000, with jitter.
   */
  retryDelay?: ((attempt: number) => number) | undefined;
  /**
   * How long a connection may be silent, without even a heartbeat (every 15,000), before it counts as lost, in
   * milliseconds. Default 45,000. The same limit holds for `headers` and for an answer.
   */
  idleMs?: number | undefined;
  /** While it reports no network, attempts are not counted. Default: the browser's own state. */
  connectivity?: Connectivity | undefined;
};

/** The compiler checks that none is missing. */
const optionNames: Record<keyof RouteOptions, true> = {
  headers: true,
  credentials: true,
  fetch: true,
  retries: true,
  retryDelay: true,
  idleMs: true,
  connectivity: true,
};

/** A route with defaults for its numbers. */
export type Route = RouteOptions & { url: string; retries: number; idleMs: number };

/**
 * Returns a route with defaults for its numbers.
 * @throws CuelineError `invalid_options`
 */
export function routeAt(url: string | URL, options: RouteOptions): Route {
  const { retries = 8, idleMs = 45_000 } = options;
  if (url === '' || !(typeof url === 'string' || url instanceof URL)) {
    throw new CuelineError(
      'invalid_options',
      "viaRoute takes the URL of a route: viaRoute('/api/plan-day').",
    );
  }
  checkNames('viaRoute', options, Object.keys(optionNames), 'invalid_options');
  checkNumber('retries', retries, 0);
  checkNumber('idleMs', idleMs, 1);
  return { ...options, url: String(url), retries, idleMs };
}

function checkNumber(name: string, value: number, least: number): void {
  if (typeof value === 'number' && value >= least) return;
  throw new CuelineError(
    'invalid_options',
    `viaRoute: ${name} is ${String(value)}. Pass a number of at least ${least}, or Infinity.`,
  );
}

export type RouteRequest = {
  method: 'GET' | 'POST' | 'DELETE';
  /** The run of the request; missing for a start. */
  runId?: string | undefined;
  /** JSON. */
  body?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Keeps the request alive when the page goes away. */
  keepalive?: boolean | undefined;
  signal?: AbortSignal | undefined;
};

/** The maximum length that is read of an answer that is not a stream, in characters. */
const MAX_TEXT_LENGTH = 64 * 1024;

/**
 * Returns the route's response, whatever its status. Waits neither for the page's `headers` function nor for
 * the route once `signal` has aborted.
 * @throws CuelineError `network` if there is none, or the reason of `signal`
 */
export async function askRoute(route: Route, request: RouteRequest): Promise<Response> {
  const { signal, runId } = request;
  const url = runId === undefined ? route.url : withRun(route.url, runId);
  const own = await untilAborted(pageHeaders(route), signal);
  const message = buildRequest(url, request, route, own);
  // called as a method of the global, because browsers refuse a detached fetch
  const send = route.fetch ?? ((given: Request) => globalThis.fetch(given));
  let sent: Promise<Response> | undefined;
  try {
    sent = send(message);
    return await untilAborted(sent, signal);
  } catch (error) {
    // a response may still arrive, although nothing waits for it
    sent?.then((response) => response.body?.cancel()).catch(() => {});
    if (signal?.aborted) throw signal.reason;
    const reason = redact(thrownText(error));
    const advice = isOnOtherOrigin(url)
      ? " It is on another origin, so the route must list this page's origin in `origins` (CORS), and the page's Content Security Policy must allow the address (connect-src)."
      : '';
    throw new CuelineError(
      'network',
      `Could not reach ${safeUrl(url)} (${reason}). Check the connection, the URL, and that the server is running.${advice}`,
      { cause: error },
    );
  }
}

function buildRequest(
  url: string,
  { method, body, signal, keepalive, headers: more }: RouteRequest,
  { credentials }: Route,
  own: Readonly<Record<string, string>>,
): Request {
  // without the platform's own text, which may quote a header or a URL and with it a key
  let headers: Headers;
  try {
    headers = new Headers(own);
  } catch {
    throw new CuelineError(
      'invalid_options',
      `viaRoute: headers (${Object.keys(own).join(', ')}) has a character that HTTP does not allow, such as a line break.`,
    );
  }
  for (const [name, value] of Object.entries(more ?? {})) headers.set(name, value);
  if (body !== undefined) headers.set('content-type', 'application/json');
  try {
    return new Request(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
      ...(credentials === undefined ? {} : { credentials }),
      ...(keepalive === undefined ? {} : { keepalive }),
    });
  } catch {
    throw new CuelineError(
      'invalid_options',
      `viaRoute: ${safeUrl(url)} is not a valid URL here. Outside a page, write an absolute URL, such as https://example.com/api/plan-day, without a user name or password.`,
    );
  }
}

/**
 * Returns the error of an unsuccessful response, with the route's own text if it has one: `{ error: { code,
 * message } }`. A code of the route that a run's error cannot have is in `details.routeCode`.
 */
export async function routeError(response: Response, request: RouteRequest): Promise<CuelineError> {
  const { status } = response;
  const reported = readError(await readBodyStart(response));
  const retryAfter = response.headers.get('retry-after');
  const details = { statusCode: status, ...(retryAfter === null ? {} : { retryAfter }) };
  // an unknown run cannot be continued, whatever code the route uses
  const gone = (status === 404 || status === 410) && request.runId !== undefined;
  if (gone && request.method === 'GET') {
    return new CuelineError(
      'interrupted',
      reported?.message ?? 'The route no longer has this run. Start it again.',
      { details },
    );
  }
  const { code, advice } = codeOfStatus(status);
  if (reported !== undefined) {
    const { routeCode, message } = reported;
    const known = routeCode === undefined ? undefined : toErrorCode(routeCode);
    return new CuelineError(known ?? code, message, {
      details: routeCode === known ? details : { ...details, routeCode },
    });
  }
  const reason = response.statusText === '' ? '' : ` ${response.statusText}`;
  return new CuelineError(code, `The route answered ${status}${reason}. ${advice}`, { details });
}

/** Returns the error for an answer of another kind than expected. Does not read the answer. */
export function unexpectedResponseError(response: Response, expected: string): CuelineError {
  const kind = response.headers.get('content-type');
  const came = response.status === 204 || kind === null ? 'nothing' : kind;
  response.body?.cancel().catch(() => {});
  return new CuelineError(
    'stream_malformed',
    `The route answered ${response.status} with ${came} instead of ${expected}. Check the URL, and that no login page or proxy answers in place of the route.`,
    { details: { statusCode: response.status } },
  );
}

/**
 * Reads an answer of JSON that has this field.
 * @throws CuelineError `stream_malformed` for any other
 */
export async function readJsonResponse(
  response: Response,
  expected: string,
  field: string,
): Promise<unknown> {
  if (!/\bjson\b/i.test(response.headers.get('content-type') ?? ''))
    throw unexpectedResponseError(response, expected);
  const value = parseJson(await readBodyStart(response));
  if (typeof value === 'object' && value !== null && field in value) return value;
  throw unexpectedResponseError(response, expected);
}

/** Returns the beginning of the body, as far as it can be read. */
async function readBodyStart(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  if (response.body === null) return text;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  try {
    while (text.length < MAX_TEXT_LENGTH) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // a part of the text is better than none
  }
  reader.cancel().catch(() => {});
  return text;
}

async function pageHeaders({ headers }: Route): Promise<Readonly<Record<string, string>>> {
  if (typeof headers !== 'function') return headers ?? {};
  try {
    return await headers();
  } catch (error) {
    throw scriptError('viaRoute: headers', error);
  }
}

/** Returns an address without its secret parts. */
function safeUrl(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//');
}

/** True in a page, for a URL of another origin. */
function isOnOtherOrigin(url: string): boolean {
  return isBrowser() && URL.canParse(url) && new URL(url).origin !== pageOrigin();
}

function withRun(url: string, runId: string): string {
  const [address = ''] = url.split('#');
  return `${address}${address.includes('?') ? '&' : '?'}run=${encodeURIComponent(runId)}`;
}

function readError(text: string): { routeCode?: string; message: string } | undefined {
  const { error } = (parseJson(text) ?? {}) as { error?: unknown };
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof message !== 'string' || message === '') return undefined;
  const isCode = typeof code === 'string' && /^[a-z][a-z_]{0,40}$/.test(code);
  return { message: redact(message.slice(0, 2_000)), ...(isCode ? { routeCode: code } : {}) };
}

function codeOfStatus(status: number): { code: CuelineErrorCode; advice: string } {
  if (status === 401 || status === 403)
    return { code: 'auth', advice: 'Sign in, or check the headers that are sent.' };
  if (status === 404 || status === 405)
    return { code: 'bad_request', advice: 'Check the URL: there is no prompt route at it.' };
  if (status === 408) return { code: 'timeout', advice: 'Try again.' };
  if (status === 413)
    return { code: 'too_large', advice: 'Send less: a shorter conversation, or smaller files.' };
  if (status === 429) return { code: 'rate_limited', advice: 'Wait a moment, and start the run again.' };
  if (status === 502 || status === 503 || status === 504)
    return { code: 'overloaded', advice: 'Try again in a little while.' };
  if (status >= 400 && status < 500)
    return { code: 'bad_request', advice: 'The log of the server may say why.' };
  return { code: 'provider_error', advice: 'The log of the server says why.' };
}
