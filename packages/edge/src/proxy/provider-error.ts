import { isRecord } from '../base/is-record.ts';
import { parseJson } from '../base/parse-json.ts';
import { jsonResponse, HttpError } from '../http/respond.ts';
import { discardBody } from './call-provider.ts';
import { readCapped } from './read-capped.ts';
import { hasKey, redactError } from './redact.ts';

const longest = 600;

/** Problems of the server's own account. Forwarded unchanged, a caller would take them for an expired session. */
const accountErrors: Readonly<Record<number, () => HttpError>> = {
  401: rejectedKeyError,
  402: () => new HttpError('upstream_unpaid', "This server's account at the provider has no credit left."),
  403: () => new HttpError('upstream_denied', "This server's key may not use this model at the provider."),
  407: rejectedKeyError,
};

/** How long the body of an error may be silent, in ms: its status says enough. */
const ERROR_IDLE_MS = 5_000;

/**
 * A provider's error for the caller: the status, and the message without keys and account names, in a form that
 * clients of OpenAI, Anthropic and compatible servers can read. Throws an HttpError with 502 for problems of the
 * server's own account.
 */
export async function forwardProviderError(
  response: Response,
  key: string,
  limits: { maxBytes: number; idleMs: number; signal: AbortSignal },
  headers: Record<string, string>,
): Promise<Response> {
  const { status } = response;
  const trouble = accountErrors[status];
  if (trouble !== undefined) {
    discardBody(response);
    throw trouble();
  }
  if (status < 400 || status > 599) {
    discardBody(response);
    throw new HttpError('upstream_malformed', 'The provider answered with an unexpected status.');
  }
  const { text } = await readCapped(response.body, {
    ...limits,
    idleMs: Math.min(limits.idleMs, ERROR_IDLE_MS),
  });
  const { message, type, code } = readErrorBody(text);
  // Google answers 400 to a wrong key.
  if (status === 400 && /api[ _]key[ _](?:not valid|invalid)|invalid api key/i.test(message))
    throw rejectedKeyError();
  return jsonResponse(
    status,
    {
      type: 'error',
      error: {
        type: word(type, key) ?? 'upstream_error',
        code: word(code, key) ?? 'upstream_error',
        message:
          message === ''
            ? `The provider answered with ${status}.`
            : redactError(message, key).slice(0, longest),
      },
    },
    { ...retryAfterOf(text), ...headers },
  );
}

/** Returns the header for the wait that Google names only in its body, as `"retryDelay": "17.5s"`. */
function retryAfterOf(text: string): Record<string, string> {
  const seconds = /"retryDelay":\s*"(\d{1,6}(?:\.\d+)?)s"/.exec(text)?.[1];
  return seconds === undefined ? {} : { 'retry-after': String(Math.ceil(Number(seconds))) };
}

function rejectedKeyError(): HttpError {
  return new HttpError('upstream_auth', "The provider does not accept this server's key.");
}

function readErrorBody(text: string): { message: string; type: unknown; code: unknown } {
  const body = parseJson(text);
  const outer = Array.isArray(body) ? (body as unknown[])[0] : body;
  if (!isRecord(outer)) return { message: '', type: undefined, code: undefined };
  const error = isRecord(outer['error']) ? outer['error'] : outer;
  const message = error['message'] ?? outer['error'] ?? outer['detail'];
  return {
    message: typeof message === 'string' ? message : '',
    type: error['type'] ?? error['status'],
    code: error['code'],
  };
}

/** Returns a value that is a word, and not the key: keys of some providers are words, too. */
function word(value: unknown, key: string): string | undefined {
  return typeof value === 'string' && /^\w{1,64}$/.test(value) && !hasKey(value, key) ? value : undefined;
}
