import { isRecord } from '../base/is-record.ts';

/** Names of AI SDK errors that are thrown before anything is sent. */
const beforeSending = new Set([
  'AI_InvalidArgumentError',
  'AI_InvalidPromptError',
  'AI_LoadAPIKeyError',
  'AI_LoadSettingError',
  'AI_NoSuchModelError',
  'AI_UnsupportedFunctionalityError',
]);

/** Error codes of connections that were never made. */
const unconnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Deno's error for a connection that was never made has no code. */
const denoUnconnected = /\bclient error \(Connect\)/;

/** Server errors for requests that were not accepted: the server is down or overloaded. */
const unavailable = new Set([503, 529]);
/** Client errors for requests in progress: timed out, or closed by the client. */
const cutOff = new Set([408, 499]);

/**
 * True for an HTTP status with which a provider refuses a request before it generates anything. False for statuses
 * such as 500 and 504, after which it may bill what it generated.
 */
export function isUnbilledStatus(status: number): boolean {
  return unavailable.has(status) || (status >= 400 && status < 500 && !cutOff.has(status));
}

/**
 * True for an error after which no provider bills anything: it refused the request, the request never reached it, or
 * something else answered with a web page and a status of success. False if the provider may have begun to work, for
 * example for a broken connection, or for a status 500 or 504, also with a web page.
 */
export function isUnbilled(error: unknown): boolean {
  for (let at = error, depth = 0; isRecord(at) && depth < 5; at = at['cause'], depth += 1) {
    const { name, statusCode, code, message } = at;
    if (typeof statusCode === 'number' && isUnbilledStatus(statusCode)) return true;
    if (beforeSending.has(String(name)) || unconnected.has(String(code))) return true;
    // whatever redirects is not the model, and the request goes no further
    if (code === 'redirect_blocked') return true;
    // nor does a model answer with a web page: that is a login page of a network, or a wrong address
    if (isWebPage(at)) return true;
    if (typeof message === 'string' && denoUnconnected.test(message)) return true;
  }
  return false;
}

/** True for an answer that is a web page although its status is one of success, by core's error or by the AI SDK's. */
function isWebPage({ details, responseHeaders, statusCode }: Record<string, unknown>): boolean {
  const status = isRecord(details) ? details['statusCode'] : statusCode;
  const type = isRecord(details)
    ? details['contentType']
    : isRecord(responseHeaders) && responseHeaders['content-type'];
  return (
    typeof status === 'number' && status < 300 && typeof type === 'string' && /^text\/html\b/i.test(type)
  );
}
