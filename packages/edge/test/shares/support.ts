import type { RunEvent } from '@cueline/core';
import { encodeLink } from '@cueline/core/link';
import { createShareStore, type ShareStoreEvent, type ShareStoreOptions } from '@cueline/edge';

export const origin = 'https://play.example';
export const base = 'https://play.example/api/shares';

export const log: readonly RunEvent[] = [
  { seq: 0, t: 0, type: 'run-start', v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' },
  { seq: 1, t: 4, type: 'run-end', outcome: 'done', finishReason: 'stop' },
];
export const script = 'export default () => {};';

/** What the playground sends for a script and a run. */
export const body: string = encodeLink({ script, log }).slice(1);

/** A store and its events. `Bearer ada` identifies the subject ada. */
export function fixture(options: Partial<ShareStoreOptions> = {}) {
  const events: ShareStoreEvent[] = [];
  const store = createShareStore({
    origins: [origin],
    auth: (request) => (request.headers.get('authorization') === 'Bearer ada' ? { subject: 'ada' } : null),
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { store, events };
}

type Sent = {
  method?: string;
  url?: string;
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** On top of what the playground sends; null leaves one out. */
  headers?: Record<string, string | null>;
};

/** A request as the playground sends it, but for what is said to be different. */
export function send({ method = 'POST', url = base, body: sent = body, headers = {} }: Sent = {}): Request {
  const all = {
    origin,
    authorization: 'Bearer ada',
    'content-type': 'application/octet-stream',
    ...headers,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  const hasBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
  return new Request(url, {
    method,
    headers: given,
    ...(hasBody ? { body: sent, duplex: 'half' } : {}),
  });
}

export function get(id: string, headers: Record<string, string | null> = {}): Request {
  return send({ method: 'GET', url: `${base}/${id}`, headers: { authorization: null, ...headers } });
}

/** Status and code of a refusal. */
export async function refused(response: Promise<Response> | Response): Promise<[number, string]> {
  const answered = await response;
  const { error } = (await answered.json()) as { error: { code: string } };
  return [answered.status, error.code];
}

export async function put(store: (request: Request) => Promise<Response>): Promise<string> {
  const response = await store(send());
  return ((await response.json()) as { id: string }).id;
}
