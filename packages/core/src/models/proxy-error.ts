import { APICallError } from '@ai-sdk/provider';
import { CuelineError, type CuelineErrorCode } from '../base/errors.ts';
import { readFirstBytes } from './bounded-body.ts';
import { providerMessage } from './provider-message.ts';
import { redact } from '../json/redact.ts';

/** What an error of a model proxy means for a run, and what is to be done where its own words do not say so. */
type Meaning = { code: CuelineErrorCode; advice?: string; phase?: 'first_chunk' | 'chunk' | 'call' };

const operator = (what: string): string => `Whoever runs the model proxy has to ${what}.`;
const checkAddress = operator("check the provider's baseURL there");
const shorter = 'Ask for a shorter answer.';

/** The codes of a model proxy: of its refusals, and of the event that ends a stream. */
const meanings: Readonly<Record<string, Meaning>> = {
  upstream_auth: { code: 'auth', advice: operator('correct the key there') },
  upstream_unpaid: { code: 'budget_exceeded', advice: operator('pay the provider') },
  upstream_denied: { code: 'model_denied', advice: operator('let the key use this model') },
  upstream_redirect: { code: 'redirect_blocked', advice: checkAddress },
  upstream_content_type: { code: 'stream_malformed', advice: checkAddress },
  upstream_malformed: { code: 'stream_malformed', advice: checkAddress },
  upstream_too_large: { code: 'too_large', advice: shorter },
  upstream_broken: { code: 'stream_truncated', advice: 'Try again.' },
  upstream_timeout: { code: 'timeout', advice: 'Try again.', phase: 'first_chunk' },
  upstream_unreachable: { code: 'network', advice: 'Try again in a while.' },
  unavailable: { code: 'overloaded' },
  internal: { code: 'provider_error', advice: 'Its log says what.' },
  total_exceeded: { code: 'budget_exceeded', advice: 'Try again tomorrow.' },
  budget_exceeded: { code: 'budget_exceeded', advice: 'Try again tomorrow.' },
  rate_limited: { code: 'rate_limited' },
  too_many_at_once: { code: 'rate_limited' },
  unauthorized: { code: 'auth', advice: 'Give proxied() the headers: proxied(url, { headers }).' },
  origin_denied: { code: 'auth' },
  model_denied: { code: 'model_denied' },
  unknown_provider: { code: 'model_denied', advice: operator('add the provider') },
  unknown_path: { code: 'bad_request', advice: 'Check the address that proxied() is given.' },
  tool_denied: { code: 'bad_request' },
  unsupported_field: { code: 'bad_request' },
  unsupported_media_type: { code: 'bad_request' },
  invalid_json: { code: 'bad_request' },
  invalid_body: { code: 'bad_request' },
  body_timeout: { code: 'timeout' },
  // of a body, and of a stream whose answer is longer than the proxy passes on
  too_large: { code: 'too_large', advice: 'Send or ask for less: a shorter conversation, or smaller files.' },
  event_too_large: { code: 'too_large', advice: shorter },
  timeout: { code: 'timeout', advice: 'Try again.', phase: 'call' },
  idle: { code: 'timeout', advice: 'Try again.', phase: 'chunk' },
  broken: { code: 'stream_truncated', advice: 'Try again.' },
};

/** Codes of refusals that may be gone with the next try. */
const passing: ReadonlySet<CuelineErrorCode> = new Set([
  'network',
  'overloaded',
  'rate_limited',
  'stream_truncated',
  'provider_error',
]);

/** How the event begins with which a model proxy ends a stream that it could not pass on whole. */
const marker = 'event: proxy-error\n';

/**
 * The answer of a model proxy. Its refusals, and the event that ends a stream which could not be passed on whole, become
 * errors of ours, since every provider's package reads them in its own way; what it passes on stays as it is.
 * @throws APICallError whose cause is a CuelineError that says what the refusal means
 */
export async function readProxyAnswer(response: Response, url: string): Promise<Response> {
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
      isRetryable: passing.has(refused.code),
    });
  }
  return new Response(isBodiless(response) ? null : text, response);
}

/** A stream up to the event with which the proxy ends it, for which it errors. */
function untilFault(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  /** The last characters, where the marker may have begun. */
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
          fault = known.slice(at + 1 + marker.length, MAX_FAULT_LENGTH);
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

/** How much of the event is read, in characters: it is a sentence. */
const MAX_FAULT_LENGTH = 4_096;

/** The error of a model proxy in its own words; undefined for one of a provider. */
function proxyError(
  body: string | undefined,
  facts: { statusCode?: number; host?: string; retryAfter?: string },
): CuelineError | undefined {
  const { error } = parse(body) as { error?: { type?: unknown; code?: unknown } };
  const proxyCode = error?.code;
  if (error?.type !== 'proxy_error' || typeof proxyCode !== 'string') return undefined;
  if (!Object.hasOwn(meanings, proxyCode)) return undefined;
  const { code, advice = '', phase } = meanings[proxyCode]!;
  const message = redact(providerMessage(error) ?? 'The model proxy refused the call.');
  return new CuelineError(code, advice === '' ? message : `${message} ${advice}`, {
    source: 'model',
    details: { ...facts, proxyCode, ...(phase === undefined ? {} : { phase }) },
  });
}

function parse(body: string | undefined): object {
  try {
    const value: unknown = JSON.parse(body ?? '');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Such an answer cannot be made with a body. */
function isBodiless({ status }: Response): boolean {
  return status === 304;
}
