import type { ServerResponse } from 'node:http';
import type { ProxyEvent } from '@cueline/edge';
import { page, type Tried } from './served-app.ts';

export const chatBody = { model: 'gpt-x', messages: [{ role: 'user', content: 'Hi' }] };

/** What differs from ada's call of the normal proxy, from its page. */
export type Ask = {
  /** Which of the app's handlers. */
  at?: string;
  path?: string;
  method?: string;
  headers?: Record<string, string | undefined>;
  /** Text and bytes are sent as they are. */
  body?: unknown;
  signal?: AbortSignal;
};

/** A subject without calls, not even of an earlier attempt of the same test. */
export const newSubject = (): string => crypto.randomUUID().replaceAll('-', '');

/** The headers of a subject. */
export const as = (subject: string): { authorization: string } => ({ authorization: `Bearer ${subject}` });

/** Asks a runtime, over HTTP. */
export function ask(
  { url }: Pick<Tried, 'url'>,
  {
    at = 'normal',
    path = '/openai/chat/completions',
    method = 'POST',
    headers = {},
    body = chatBody,
    signal,
  }: Ask = {},
): Promise<Response> {
  const all = {
    authorization: 'Bearer ada',
    'content-type': 'application/json',
    origin: page,
    ...headers,
  };
  const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
  return fetch(`${url}/${at}${path}`, {
    method,
    headers: Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    redirect: 'manual',
    ...(method === 'POST' ? { body: raw ? body : JSON.stringify(body), duplex: 'half' } : {}),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Returns the proxies' events since the last call. */
export async function eventsOf({ url }: Pick<Tried, 'url'>): Promise<ProxyEvent[]> {
  return (await (await fetch(`${url}/events`)).json()) as ProxyEvent[];
}

/** Begins a stream at the provider, and gives what writes an event to it. */
export function stream(
  response: ServerResponse,
  headers: Record<string, string> = {},
): (data: unknown) => boolean {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  return (data) => response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
}
