import { CuelineError, type CuelineErrorCode } from '../base/errors.ts';
import { scriptError } from '../base/script-error.ts';
import { redact } from '../json/redact.ts';
import { untilAborted } from '../base/until-aborted.ts';
import type { RouteOptions } from './via-route.ts';

/** A route with its numbers filled in. */
export type Route = RouteOptions & { url: string; retries: number; idleMs: number };

/**
 * A route as it was written, with its numbers filled in.
 * @throws CuelineError `invalid_options`
 */
export function routeAt(url: string | URL, options: RouteOptions): Route {
  const { retries = 8, idleMs = 45_000 } = options;
  if (url === '' || !(typeof url === 'string' || url instanceof URL)) {
    throw new CuelineError(
      'invalid_options',
      "viaRoute takes the address of a route: viaRoute('/api/plan-day').",
    );
  }
  checkNumber('retries', retries, 0);
  checkNumber('idleMs', idleMs, 1);
  return { ...options, url: String(url), retries, idleMs };
}

function checkNumber(name: string, value: number, least: number): void {
  if (typeof value === 'number' && value >= least) return;
  throw new CuelineError(
    'invalid_options',
    `viaRoute: ${name} is ${String(value)}. It takes a number from ${least} on, or Infinity.`,
  );
}

export type RouteRequest = {
  method: 'GET' | 'POST' | 'DELETE';
  /** The run that is meant; missing where one is to be started. */
  runId?: string | undefined;
  /** JSON. */
  body?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Outlives the page. */
  keepalive?: boolean | undefined;
  signal?: AbortSignal | undefined;
};

/** How much of an answer that is no stream is read, in characters. */
const MAX_TEXT_LENGTH = 64 * 1024;

/**
 * The route's answer, whatever it is. Neither the page's `headers` function nor the route is waited for once `signal` has
 * aborted.
 * @throws CuelineError `network` where there is none, or what `signal` was aborted with
 */
export async function askRoute(route: Route, request: RouteRequest): Promise<Response> {
  const { signal, runId } = request;
  const url = runId === undefined ? route.url : withRun(route.url, runId);
  const own = await untilAborted(pageHeaders(route), signal);
  const message = buildRequest(url, request, route, own);
  // as a global's own method: browsers refuse a detached fetch
  const send = route.fetch ?? ((given: Request) => globalThis.fetch(given));
  let sent: Promise<Response> | undefined;
  try {
    sent = send(message);
    return await untilAborted(sent, signal);
  } catch (error) {
    // an answer may come although nobody waits for it any more
    sent?.then((response) => response.body?.cancel()).catch(() => {});
    if (signal?.aborted) throw signal.reason;
    const reason = redact(error instanceof Error ? error.message : String(error));
    throw new CuelineError(
      'network',
      `Could not reach ${safeUrl(url)} (${reason}). Check the connection, the address, and that the route is served.`,
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
  // The platform's own words are left out: they may quote a header or an address, and with it a key.
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
      `viaRoute: ${safeUrl(url)} is no address here. Outside a page, write the whole of it, such as https://example.com/api/plan-day, without a name or password.`,
    );
  }
}

/** What an answer that is no success means, in the route's own words where it has any: `{ error: { code, message } }`. */
export async function routeError(response: Response, request: RouteRequest): Promise<CuelineError> {
  const { status } = response;
  const said = readError(await textOf(response));
  const retryAfter = response.headers.get('retry-after');
  const details = { statusCode: status, ...(retryAfter === null ? {} : { retryAfter }) };
  // without the run that was asked for, there is nothing to go on with, whatever the route calls it
  const gone = (status === 404 || status === 410) && request.runId !== undefined;
  if (gone && request.method === 'GET') {
    return new CuelineError(
      'interrupted',
      said?.message ?? 'The route does not know this run any more. Start it again.',
      { details },
    );
  }
  const { code, advice } = codeOfStatus(status);
  if (said !== undefined) return new CuelineError(said.code ?? code, said.message, { details });
  const reason = response.statusText === '' ? '' : ` ${response.statusText}`;
  return new CuelineError(code, `The route answered ${status}${reason}. ${advice}`, { details });
}

/** An answer that should have been of another kind. It is not read. */
export function unexpectedResponseError(response: Response, expected: string): CuelineError {
  const kind = response.headers.get('content-type');
  const came = response.status === 204 || kind === null ? 'nothing' : kind;
  response.body?.cancel().catch(() => {});
  return new CuelineError(
    'stream_malformed',
    `The route answered ${response.status} with ${came}, where ${expected} was expected. Check the address, and that no login page or proxy answers in its place.`,
    { details: { statusCode: response.status } },
  );
}

/**
 * An answer of JSON that has this field.
 * @throws CuelineError `stream_malformed` for any other
 */
export async function readJson(response: Response, expected: string, field: string): Promise<unknown> {
  if (!/\bjson\b/i.test(response.headers.get('content-type') ?? ''))
    throw unexpectedResponseError(response, expected);
  const value = parse(await textOf(response));
  if (typeof value === 'object' && value !== null && field in value) return value;
  throw unexpectedResponseError(response, expected);
}

/** The beginning of the body, as far as it can be read. */
async function textOf(response: Response): Promise<string> {
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
    // what did come says more than nothing
  }
  reader.cancel().catch(() => {});
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function pageHeaders({ headers }: Route): Promise<Readonly<Record<string, string>>> {
  if (typeof headers !== 'function') return headers ?? {};
  try {
    return await headers();
  } catch (error) {
    throw scriptError('viaRoute: headers', error);
  }
}

/** An address without what may be secret in it. */
function safeUrl(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//');
}

function withRun(url: string, runId: string): string {
  const [address = ''] = url.split('#');
  return `${address}${address.includes('?') ? '&' : '?'}run=${encodeURIComponent(runId)}`;
}

function readError(text: string): { code?: CuelineErrorCode; message: string } | undefined {
  const { error } = (parse(text) ?? {}) as { error?: unknown };
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof message !== 'string' || message === '') return undefined;
  // a route may be newer than this page, and know words that are not in the type yet
  const known = typeof code === 'string' && /^[a-z][a-z_]{0,40}$/.test(code);
  return { message: redact(message.slice(0, 2_000)), ...(known ? { code: code as CuelineErrorCode } : {}) };
}

function codeOfStatus(status: number): { code: CuelineErrorCode; advice: string } {
  if (status === 401 || status === 403)
    return { code: 'auth', advice: 'Sign in, or check the headers that are sent.' };
  if (status === 404 || status === 405)
    return { code: 'bad_request', advice: 'Check the address: there is no prompt route.' };
  if (status === 408) return { code: 'timeout', advice: 'Try again.' };
  if (status === 413)
    return { code: 'too_large', advice: 'Send less: a shorter conversation, or smaller files.' };
  if (status === 429) return { code: 'rate_limited', advice: 'Wait a little, and start it again.' };
  if (status === 502 || status === 503 || status === 504)
    return { code: 'overloaded', advice: 'Try again in a little while.' };
  if (status >= 400 && status < 500)
    return { code: 'bad_request', advice: 'Its log may say what it did not like.' };
  return { code: 'provider_error', advice: 'Its log says why.' };
}
