import { Refusal } from '../respond.ts';

/** The run that an address is about: `?run=…`. It may be one that nobody has. */
export function runOf(url: URL): string | undefined {
  return url.searchParams.get('run') ?? undefined;
}

/** The number of the last event that a client has; -1 where it has none. */
export function readAfter(request: Request, url: URL): number {
  const text = request.headers.get('last-event-id') ?? url.searchParams.get('after') ?? '';
  if (text === '') return -1;
  if (!/^(-1|\d{1,15})$/.test(text)) {
    throw new Refusal('invalid_query', "Last-Event-ID, or after, is no event's number.");
  }
  return Number(text);
}

/** The conversation of an address that the AI SDK's client makes to come back: `…/{chatId}/stream`. */
export function chatOf(url: URL): string | undefined {
  const [, id] = /\/([^/]+)\/stream$/.exec(url.pathname) ?? [];
  if (id === undefined) return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    throw new Refusal('invalid_query', 'The address is not well-formed.');
  }
}

/** What is answered where an address is about no run. */
export function noRun(method: string): Refusal {
  return new Refusal('invalid_query', `Say which run: ${method} …?run=<id>.`);
}
