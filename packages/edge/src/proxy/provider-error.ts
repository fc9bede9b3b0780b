import { jsonResponse, Refusal } from '../respond.ts';
import { drop } from './ask-provider.ts';
import { isObject } from './body-fields.ts';
import { readCapped } from './read-capped.ts';
import { redactError } from './redact.ts';

const longest = 600;

// The account's own troubles. As they are, a caller would take them for a session that has run out.
const ours = new Set([401, 402, 403, 407]);

/**
 * A provider's error as the caller gets it: the status, and the message without keys and account names, in a form that
 * OpenAI's, Anthropic's and compatible clients can read. Throws a Refusal with 502 where the key was refused.
 */
export async function passProviderError(
  response: Response,
  key: string,
  limits: { maxBytes: number; idleMs: number; signal: AbortSignal },
  headers: Record<string, string>,
): Promise<Response> {
  const { status } = response;
  const refused = (): Refusal =>
    new Refusal('upstream_auth', 'The provider does not accept the key of this server.');
  if (ours.has(status)) {
    drop(response);
    throw refused();
  }
  if (status > 599) {
    drop(response);
    throw new Refusal('upstream_malformed', 'The provider answered with a status that is none.');
  }
  const { text } = await readCapped(response.body, limits);
  const { message, type, code } = factsOf(text);
  // Google answers 400 to a wrong key.
  if (status === 400 && /api[ _]key[ _](?:not valid|invalid)|invalid api key/i.test(message)) throw refused();
  return jsonResponse(
    status,
    {
      type: 'error',
      error: {
        type: word(type) ?? 'upstream_error',
        code: word(code) ?? 'upstream_error',
        message:
          message === ''
            ? `The provider answered with ${status}.`
            : redactError(message, key).slice(0, longest),
      },
    },
    headers,
  );
}

function factsOf(text: string): { message: string; type: unknown; code: unknown } {
  const body = parse(text);
  const outer = Array.isArray(body) ? (body as unknown[])[0] : body;
  if (!isObject(outer)) return { message: '', type: undefined, code: undefined };
  const error = isObject(outer['error']) ? outer['error'] : outer;
  const message = error['message'] ?? outer['error'] ?? outer['detail'];
  return {
    message: typeof message === 'string' ? message : '',
    type: error['type'] ?? error['status'],
    code: error['code'],
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' && /^\w{1,64}$/.test(value) ? value : undefined;
}
