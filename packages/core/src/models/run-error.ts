import { APICallError, LoadAPIKeyError, NoSuchModelError } from '@ai-sdk/provider';
import { thrownText } from '../base/error-source.ts';
import { CuelineError, type CuelineErrorCode, type ErrorSource } from '../base/errors.ts';
import { parseJson } from '../json/parse-json.ts';
import { redact, redactDeep } from '../json/redact.ts';
import { explainFailure, kindOfStatus, kindOfCode, kindOfMessage } from './failure-kind.ts';
import { connectionError } from './guarded-fetch.ts';
import { providerMessage } from './provider-message.ts';

// the messages of Chromium, Node, Safari and Firefox for a failed fetch and for a body that is cut off
const unmadeConnection = /^(failed to fetch|fetch failed|load failed|networkerror)/i;
const brokenConnection = /^(network error|terminated|error in (input|body) stream)/i;

type ErrorFields = {
  /** The provider's own words. */
  message?: string | undefined;
  cause?: unknown;
  who?: string | undefined;
  details?: Record<string, unknown>;
  source?: ErrorSource;
};

/**
 * Returns the {@link CuelineError} for an error that ended a run: thrown by the AI SDK, or sent by a provider as an
 * event. Its text contains the provider's own message, without keys. `secrets` are literal keys to remove, besides
 * everything that looks like one.
 */
export function toRunError(error: unknown, secrets: readonly string[] = []): CuelineError {
  const found = read(error);
  const message = redact(found.message, secrets);
  const details = found.details && (redactDeep(found.details, secrets) as Record<string, unknown>);
  if (message === found.message && JSON.stringify(details) === JSON.stringify(found.details)) return found;
  return new CuelineError(found.code, message, {
    // the cause may hold the request with its headers, but is never written to a log
    cause: found.cause,
    details,
    source: found.source,
  });
}

/** True for an error that the AI SDK or one of its providers has thrown. Never throws. */
export function isOfAiSdk(error: unknown): boolean {
  try {
    return error instanceof Error && error.name.startsWith('AI_');
  } catch {
    // a getter or a proxy that throws
    return false;
  }
}

function read(error: unknown): CuelineError {
  try {
    return classify(error, new Set());
  } catch {
    // a getter or a proxy that throws
    return build('provider_error', { message: thrownText(error), cause: error, source: 'unknown' });
  }
}

function classify(error: unknown, seen: Set<unknown>): CuelineError {
  if (CuelineError.isInstance(error)) return error;
  if (typeof error !== 'object' || error === null) {
    return build('provider_error', {
      message: providerMessage(error),
      cause: error,
      source: 'unknown',
    });
  }
  seen.add(error);
  const name = String((error as { name?: unknown }).name);
  const inner = (next: unknown): CuelineError | undefined =>
    next === undefined || next === null || seen.has(next) ? undefined : classify(next, seen);

  if (name === 'AbortError' || name === 'ResponseAborted') {
    return new CuelineError('aborted', 'The run was stopped.', { cause: error });
  }
  if (name === 'TimeoutError') {
    const source = error instanceof DOMException ? 'model' : 'unknown';
    const message = `The model took too long: ${messageOf(error)}`;
    return new CuelineError('timeout', message, { cause: error, source });
  }
  if (name === 'AI_RetryError') return fromRetries(error, inner);
  if (APICallError.isInstance(error)) return fromCall(error, inner);
  if (LoadAPIKeyError.isInstance(error)) {
    return new CuelineError('missing_key', messageOf(error), { cause: error, source: 'model' });
  }
  if (NoSuchModelError.isInstance(error)) {
    return new CuelineError('unknown_model', messageOf(error), { cause: error, source: 'model' });
  }
  if (name === 'AI_UnsupportedModelVersionError' || name === 'AI_InvalidArgumentError') {
    return new CuelineError('invalid_options', messageOf(error), { cause: error, source: 'model' });
  }
  if (name === 'AI_InvalidPromptError' || name === 'AI_UnsupportedFunctionalityError') {
    return new CuelineError('bad_request', messageOf(error), { cause: error, source: 'model' });
  }
  if (name.startsWith('Gateway')) return fromGateway(error, inner);
  if (name === 'AI_NoOutputGeneratedError') {
    const cause = inner((error as { cause?: unknown }).cause);
    if (cause !== undefined) return cause;
  }
  if (name === 'AI_JSONParseError' || name === 'AI_TypeValidationError') {
    // their messages quote the whole event, which may be a web page
    return build('stream_malformed', { cause: error });
  }
  // the same error with another text, for a stream that ended early
  if (name === 'AI_InvalidResponseDataError' && messageOf(error).startsWith('Expected ')) {
    return build('stream_malformed', { message: messageOf(error), cause: error });
  }
  if (error instanceof TypeError && isConnectionError(error)) {
    return unmadeConnection.test(error.message)
      ? connectionError(undefined, error)
      : build('stream_truncated', { message: error.message, cause: error });
  }
  return fromPayload(error);
}

function fromRetries(error: object, inner: (next: unknown) => CuelineError | undefined): CuelineError {
  const { errors, lastError } = error as { errors?: readonly unknown[]; lastError?: unknown };
  const last = inner(lastError ?? errors?.at(-1));
  if (last === undefined) return build('provider_error', { message: messageOf(error), cause: error });
  const attempts = errors?.length ?? 1;
  return new CuelineError(last.code, `${last.message} (${attempts} attempts)`, {
    cause: error,
    details: { ...last.details, attempts },
    source: last.source,
  });
}

function fromCall(error: APICallError, inner: (next: unknown) => CuelineError | undefined): CuelineError {
  const { statusCode: status, responseBody, responseHeaders, data } = error;
  const ours = inner(error.cause);
  if (ours !== undefined && CuelineError.isInstance(error.cause)) return ours;
  if (status === undefined) {
    return ours?.code === 'network' || error.isRetryable
      ? connectionError(error.url, error.cause ?? error)
      : (ours ?? fromPayload(error));
  }
  // the provider's answer began normally but could not be read to its end
  if (status < 400)
    return (
      ours ??
      build('provider_error', { message: error.message, cause: error, details: { statusCode: status } })
    );
  // the package falls back to the status text if the body has the shape of another API
  const message = providerMessage(data) ?? providerMessage(responseBody) ?? error.message;
  const retryAfter = responseHeaders?.['retry-after'];
  const host = URL.canParse(error.url) ? new URL(error.url).host : undefined;
  return build(kindOfCall(status, message, labelsOfCall(error)), {
    message,
    cause: error,
    who: host,
    details: {
      statusCode: status,
      ...(host === undefined ? {} : { host }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    },
  });
}

/** For a refused key the AI SDK leaves only advice, in colors; any other error has the failed call. */
function fromGateway(error: object, inner: (next: unknown) => CuelineError | undefined): CuelineError {
  const cause = inner((error as { cause?: unknown }).cause);
  if (cause !== undefined) return cause;
  if (!/^[^\n]*unauthenticated/i.test(messageOf(error))) return fromPayload(error);
  const { what, advice } = explainFailure('auth', 'The AI Gateway');
  return new CuelineError('auth', `${what}. ${advice}`, { cause: error, source: 'model' });
}

function kindOfCall(status: number, message: string, { type, code }: Labels): CuelineErrorCode {
  const kind = kindOfStatus(status);
  // Google answers 400 to a wrong key, and some gateways 403
  if (
    (status === 400 || status === 403) &&
    /api key not valid|invalid api key|incorrect api key/i.test(message)
  ) {
    return 'auth';
  }
  if (kind !== 'provider_error' && kind !== 'bad_request') return kind;
  return kindOfMessage(message) ?? kindOfCode(code, type) ?? kind;
}

/** Reads error events of a stream, `StreamProviderError`, and errors of foreign models. */
function fromPayload(error: object): CuelineError {
  const labels = labelsOf(error);
  const { statusCode = labels.code } = error as { statusCode?: unknown };
  // OpenRouter's code is the HTTP status that the answer could not have any more
  const status = isErrorStatus(statusCode) ? statusCode : undefined;
  const message = error instanceof Error ? messageOf(error) : providerMessage(error);
  const truncated = /ended without a finish|stream ended before|terminated|^incomplete .* frame/i.test(
    message ?? '',
  );
  const isThrown = error instanceof Error;
  // a provider sends payloads, and its package throws errors with a name of the AI SDK
  const source = isThrown && !error.name.startsWith('AI_') ? 'unknown' : 'model';
  const labelled =
    kindOfCode(labels.code, labels.type) ?? (status === undefined ? 'provider_error' : kindOfStatus(status));
  const isVague = source === 'model' && (labelled === 'provider_error' || labelled === 'bad_request');
  const code: CuelineErrorCode = truncated
    ? 'stream_truncated'
    : ((isVague ? kindOfMessage(message ?? '') : undefined) ?? labelled);
  const type = [labels.type, isThrown ? undefined : labels.code].find((label) => typeof label === 'string');
  return build(code, {
    message: message ?? 'it gave no reason',
    cause: error,
    source,
    details: {
      ...(status === undefined ? {} : { statusCode: status }),
      ...(type === undefined ? {} : { type }),
    },
  });
}

function isErrorStatus(value: unknown): value is number {
  return typeof value === 'number' && value >= 400 && value < 600;
}

type Labels = { type: unknown; code: unknown };

/** Returns the labels of a failed call. A package's own reading of the body may lack some. */
function labelsOfCall({ data, responseBody = '' }: APICallError): Labels {
  const known = labelsOf(data);
  const sent = labelsOf(parseJson(responseBody));
  return { type: known.type ?? sent.type, code: known.code ?? sent.code };
}

/** Returns `type` and `code` of an error payload, wherever its API puts them. */
function labelsOf(payload: unknown): Labels {
  const outer = record(payload);
  const inner = record(record(outer['response'])['error'] ?? outer['error']);
  return { type: inner['type'] ?? inner['status'] ?? outer['type'], code: inner['code'] ?? outer['code'] };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function build(
  code: CuelineErrorCode,
  { message, cause, who = 'The model', details, source = 'model' }: ErrorFields,
): CuelineError {
  const { what, advice } = explainFailure(code, who);
  const status = details?.['statusCode'];
  const head = typeof status === 'number' ? `${what} (${status})` : what;
  const suffix = message === undefined ? '' : `: ${message}`;
  const text = `${head}${suffix}`;
  const end = /[.!?…]$/.test(text) ? '' : '.';
  return new CuelineError(code, advice === '' ? `${text}${end}` : `${text}${end} ${advice}`, {
    cause,
    source,
    ...(details === undefined || Object.keys(details).length === 0 ? {} : { details }),
  });
}

function isConnectionError(error: TypeError): boolean {
  return unmadeConnection.test(error.message) || brokenConnection.test(error.message);
}

function messageOf(error: object): string {
  const { message } = error as { message?: unknown };
  return typeof message === 'string' && message !== '' ? thrownText(message) : 'no reason was given';
}
