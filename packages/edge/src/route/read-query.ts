import { HttpError } from '../http/respond.ts';
import { isName, invalidNameText } from './is-name.ts';

/**
 * Returns the run of an address: `?run=…`. Throws an {@link HttpError} with 404 for an id that this route cannot have
 * created.
 */
export function runOf(url: URL): string | undefined {
  const runId = url.searchParams.get('run') ?? undefined;
  if (runId !== undefined && !isRunId(runId)) throw unknownRunError();
  return runId;
}

/**
 * True for an id that a route can have created. It goes to a store, which may use it as a file name, and into a
 * header.
 */
export function isRunId(value: unknown): value is string {
  return typeof value === 'string' && /^run-[\w-]{1,60}$/.test(value);
}

/** Returns the refusal for an unknown run, and for a run of another subject. */
export function unknownRunError(): HttpError {
  return new HttpError('unknown_run', 'This run does not exist, or it is no longer stored. Start it again.');
}

/** Returns the number of the last event that a client has; -1 if it has none. */
export function readAfter(request: Request, url: URL): number {
  const text = request.headers.get('last-event-id') ?? url.searchParams.get('after') ?? '';
  if (text === '') return -1;
  if (!/^(-1|\d{1,15})$/.test(text)) {
    throw new HttpError(
      'invalid_query',
      'Last-Event-ID, or after, is not the number of an event. Send the id of the last event that you have.',
    );
  }
  return Number(text);
}

/** Returns the conversation of an address with which the AI SDK's client reconnects: `…/{chatId}/stream`. */
export function chatOf(url: URL): string | undefined {
  const [, id] = /\/([^/]+)\/stream$/.exec(url.pathname) ?? [];
  if (id === undefined) return undefined;
  const chatId = decoded(id);
  if (!isName(chatId))
    throw new HttpError('invalid_query', invalidNameText('The conversation of the address'));
  return chatId;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HttpError(
      'invalid_query',
      'The address is not well-formed. Write the conversation with encodeURIComponent.',
    );
  }
}

/** Returns the refusal for an address without a run. */
export function missingRunError(method: string): HttpError {
  return new HttpError('invalid_query', `The address has no run id. Send ${method} …?run=<id>.`);
}
