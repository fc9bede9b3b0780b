import { APICallError } from '@ai-sdk/provider';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { parseJson } from '../json/parse-json.ts';
import { isLoopback } from './base-url.ts';
import { boundBody, boundEvents, readFirstBytes } from './bounded-body.ts';
import { isBrowser, pageOrigin } from './platform.ts';
import { providerMessage } from './provider-message.ts';

/** The type of `fetch` that the AI SDK's providers take. */
export type FetchFunction = typeof globalThis.fetch;

const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Returns a `fetch` for model providers. It refuses redirects, which would send the key to another host, names a web
 * page or JSON in place of a stream, explains a failed connection, and bounds the size of answers.
 */
export function guardFetch(base?: FetchFunction): FetchFunction {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const response = await connect(base, url, input, init);
    // browsers answer `redirect: manual` with an opaque response whose status is 0
    if (response.type === 'opaqueredirect' || redirects.has(response.status)) {
      await response.body?.cancel();
      throw new CuelineError(
        'redirect_blocked',
        `${originOf(url)} answered with a redirect, which is refused because it would carry the key to ` +
          'another address. Set the base URL to the address where the API itself answers.',
        { details: { origin: originOf(url), statusCode: response.status } },
      );
    }
    const type = response.headers.get('content-type') ?? '';
    if (response.ok && type.startsWith('text/html')) {
      await response.body?.cancel();
      throw new CuelineError(
        'provider_error',
        `${originOf(url)} answered with a web page, not with a model's answer. ` +
          'Check the base URL: most end in /v1.',
        { details: { origin: originOf(url), statusCode: response.status, contentType: 'text/html' } },
      );
    }
    if (response.status >= 400) return withFirstBytes(response);
    const isStream = asksForStream(url, init);
    if (isStream && type.startsWith('application/json')) throw await jsonInsteadOfStreamError(url, response);
    if (response.body === null) return response;
    return new Response(isStream ? boundEvents(response.body) : boundBody(response.body), response);
  };
}

/** Returns the same answer with the beginning of its body, because an error may be endless or larger than memory. */
async function withFirstBytes(response: Response): Promise<Response> {
  const { text } = await readFirstBytes(response);
  return new Response(text, response);
}

/**
 * True for a call whose answer is a stream of events, in the formats of all providers except Bedrock, whose streams are
 * binary, and the AI Gateway, which has this in a header.
 */
function asksForStream(url: string, init: Parameters<FetchFunction>[1]): boolean {
  if (/:streamGenerateContent\b/.test(url)) return true;
  // a body may be large, so it is parsed only if it has the field anywhere, such as in the input of a tool call
  if (typeof init?.body !== 'string' || !/"stream":\s*true/.test(init.body)) return false;
  const body = parseJson(init.body);
  return isRecord(body) && body['stream'] === true;
}

/** Returns the error for an answer in JSON where a stream was requested: mostly an error with the wrong status. */
async function jsonInsteadOfStreamError(url: string, response: Response): Promise<unknown> {
  const { text } = await readFirstBytes(response);
  const body = parseJson(text);
  const reported = isRecord(body) ? body['error'] : undefined;
  if (reported !== undefined && reported !== null) {
    const message = providerMessage(body) ?? 'it gave no reason';
    const error = new APICallError({ message, url, requestBodyValues: undefined, isRetryable: false });
    return Object.assign(error, { error: reported });
  }
  return new CuelineError(
    'provider_error',
    `${originOf(url)} answered with JSON, not with a stream of events. Use a server or a model that streams.`,
    { details: { origin: originOf(url), statusCode: response.status } },
  );
}

async function connect(
  base: FetchFunction | undefined,
  url: string,
  input: Parameters<FetchFunction>[0],
  init: Parameters<FetchFunction>[1],
): Promise<Response> {
  const headers = new Headers(init?.headers);
  // Safari and Firefox list it in the CORS preflight, and few servers allow it
  if (isBrowser()) headers.delete('user-agent');
  try {
    // looked up at each call and called as a method of the global, because browsers refuse a detached fetch
    const send: FetchFunction = base ?? ((target, settings) => globalThis.fetch(target, settings));
    return await send(input, { ...init, headers: Object.fromEntries(headers), redirect: 'manual' });
  } catch (error) {
    if (init?.signal?.aborted || !(error instanceof TypeError)) throw error;
    const cause = connectionError(url, error);
    // the AI SDK retries only an APICallError, and its own detection of network errors misses those of browsers
    throw new APICallError({
      message: cause.message,
      url,
      requestBodyValues: undefined,
      cause,
      // nothing on this machine starts to listen within seconds, so the error is reported at once
      isRetryable: !isLoopback(url),
    });
  }
}

/** Returns the error for a failed connection, for the person who typed its address. */
export function connectionError(url: string | undefined, cause: unknown): CuelineError {
  const origin = url === undefined ? undefined : originOf(url);
  const code = errorCodeOf(cause);
  const isOwn = origin !== undefined && origin === pageOrigin();
  const sentences = [
    `Could not reach ${origin ?? "the model's server"}${code === undefined ? '' : ` (${code})`}.`,
    `Check ${isOwn ? 'the connection' : 'the address'}, and that the server is running.`,
  ];
  // a page may always ask the server that it came from
  if (isBrowser() && !isOwn) {
    sentences.push("From a browser, the server must allow this page's origin (CORS).");
    if (url !== undefined && isLoopback(url)) sentences.push('For Ollama set OLLAMA_ORIGINS.');
  }
  return new CuelineError('network', sentences.join(' '), {
    cause,
    details: { ...(origin === undefined ? {} : { origin }), ...(code === undefined ? {} : { reason: code }) },
  });
}

/** Returns the system's code for the failure (`ECONNREFUSED`), which Node hides in the cause. */
function errorCodeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string') return code;
  }
  return undefined;
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'the server';
}
