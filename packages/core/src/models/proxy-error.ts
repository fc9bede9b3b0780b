import { APICallError } from '@ai-sdk/provider';
import { CuelineError, type CuelineErrorCode } from '../base/errors.ts';
import { parseJson } from '../json/parse-json.ts';
import { redact } from '../json/redact.ts';
import { readFirstBytes } from './bounded-body.ts';
import { providerMessage } from './provider-message.ts';
import { refusalCodes } from './refusal-codes.ts';

/**
 * What is added to an error of a model proxy: what to do if its message does not say so, and which time limit it was.
 */
type Addition = { advice?: string; phase?: 'first_chunk' | 'chunk' | 'call' };

const operator = (what: string): string => `The operator of the model proxy has to ${what}.`;
const checkAddress = operator("check the provider's baseURL there");

const additions: Readonly<Record<string, Addition>> = {
  upstream_auth: { advice: operator('correct the key there') },
  upstream_unpaid: { advice: operator('pay the provider') },
  upstream_denied: { advice: operator('let the key use this model') },
  upstream_redirect: { advice: checkAddress },
  upstream_malformed: { advice: checkAddress },
  upstream_timeout: { phase: 'first_chunk' },
  internal: { advice: 'The log of the model proxy says what failed.' },
  unauthorized: { advice: 'Give proxied() the headers: proxied(url, { headers }).' },
  unknown_provider: { advice: operator('add the provider') },
  unknown_path: { advice: 'Check the address that proxied() is given.' },
  too_large: { advice: 'Send or ask for less: a shorter conversation, or smaller files.' },
  event_too_large: { advice: 'Ask for a shorter answer.' },
  timeout: { advice: 'Try again.', phase: 'call' },
  idle: { advice: 'Try again.', phase: 'chunk' },
  broken: { advice: 'Try again.' },
};

/** Codes of refusals that the next attempt may not meet. */
const transientCodes: ReadonlySet<CuelineErrorCode> = new Set([
  'network',
  'overloaded',
  'rate_limited',
  'stream_truncated',
  'provider_error',
]);

/** The beginning of the event with which a model proxy ends a stream that it could not forward as a whole. */
const marker = 'event: proxy-error\n';

/**
 * Reads the answer of a model proxy. Its refusals, and the event that ends an incomplete stream, become
 * CuelineErrors, because every provider's package would read them in its own way. A forwarded answer stays as it is.
 * @throws APICallError whose cause is a CuelineError with the meaning of the refusal
 */
export async function readProxyAnswer(response: Response, url: string): Promise<Response> {
  // a redirect in a browser, which no Response can be made of; `guardFetch` refuses it
  if (response.type === 'opaqueredirect' || response.status === 0) return response;
  if (response.ok)
    return response.body === null ? response : new Response(untilFault(response.body), response);
  const { text } = await readFirstBytes(response);
  const retryAfter = response.headers.get('retry-after');
  const refused = proxyError(text, {
    statusCode: response.status,
    host: new URL(url, 'http://localhost').host,
    ...(retryAfter === null ? {} : { retryAfter }),
  });
  if (refused !== undefined) {
    throw new APICallError({
      message: refused.message,
      url,
      requestBodyValues: undefined,
      statusCode: response.status,
      responseHeaders: Object.fromEntries(response.headers),
      responseBody: text,
      cause: refused,
      isRetryable: transientCodes.has(refused.code),
    });
  }
  // a 304 cannot have a body
  return new Response(response.status === 304 ? null : text, response);
}

/** Returns a stream up to the event with which the proxy ends it. That event errors the stream. */
function untilFault(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  /** The last characters, in which the marker may have begun. */
  let tail = '\n';
  /** The event, once it has begun. */
  let fault: string | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return finish(controller);
          const text = decoder.decode(value, { stream: true });
          if (fault !== undefined) {
            fault = (fault + text).slice(0, MAX_FAULT_LENGTH);
            continue;
          }
          const known = tail + text;
          const at = known.indexOf(`\n${marker}`);
          if (at === -1) {
            tail = known.slice(-marker.length - 1);
            return controller.enqueue(value);
          }
          fault = known.slice(at + 1 + marker.length).slice(0, MAX_FAULT_LENGTH);
          const before = new TextEncoder().encode(known.slice(tail.length, at + 1));
          if (before.length > 0) return controller.enqueue(before);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );

  function finish(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const error = fault === undefined ? undefined : proxyError(/^data: ?(.*)$/m.exec(fault)?.[1], {});
    if (error === undefined) controller.close();
    else controller.error(error);
  }
}

/** How much of the event is read, in characters. It is a sentence. */
const MAX_FAULT_LENGTH = 4_096;

/** Returns a model proxy's error; undefined for a provider's. */
function proxyError(
  body: string | undefined,
  facts: { statusCode?: number; host?: string; retryAfter?: string },
): CuelineError | undefined {
  const { error } = (parseJson(body ?? '') ?? {}) as { error?: { type?: unknown; code?: unknown } };
  const proxyCode = error?.code;
  if (error?.type !== 'proxy_error' || typeof proxyCode !== 'string') return undefined;
  const code = Object.hasOwn(refusalCodes, proxyCode) ? refusalCodes[proxyCode] : undefined;
  if (code === undefined) return undefined;
  const { advice = '', phase } = additions[proxyCode] ?? {};
  const message = redact(providerMessage(error) ?? 'The model proxy refused the call.');
  return new CuelineError(code, advice === '' ? message : `${message} ${advice}`, {
    source: 'model',
    details: { ...facts, proxyCode, ...(phase === undefined ? {} : { phase }) },
  });
}
