import { Refusal } from '../http/respond.ts';

/** The run that an address is about: `?run=…`. Throws a {@link Refusal} with 404 for what is no id that is given here. */
export function runOf(url: URL): string | undefined {
  const runId = url.searchParams.get('run') ?? undefined;
  // it goes to a store, which may make a file's name of it, and into a header
  if (runId !== undefined && !/^run-[\w-]{1,60}$/.test(runId)) throw unknownRun();
  return runId;
}

/** What is answered for a run that is not there, and for one of somebody else's. */
export function unknownRun(): Refusal {
  return new Refusal('unknown_run', 'There is no such run, or it is not kept any more. Start it again.');
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
