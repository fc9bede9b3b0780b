import { createMemoryLimits, createModelProxy, type ModelProxyOptions, type ProxyEvent } from '@cueline/edge';

export { createMemoryLimits, createModelProxy, type ModelProxyOptions, type ProxyEvent };

export const key = 'sk-live-0123456789abcdef';
export const origin = 'https://play.example';
export const base = 'https://proxy.example/api/models';

/** What a provider was sent. */
export type Sent = {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
};

export type Fixture = {
  proxy: (request: Request) => Promise<Response>;
  sent: Sent[];
  events: ProxyEvent[];
  /** Calls of the store: `reserve 120`, `settle 7`. */
  store: string[];
};

type Upstream = (request: Sent, signal: AbortSignal) => Response | Promise<Response>;

/** A proxy in front of a function in place of all providers. `Bearer ada` identifies the subject ada. */
export function fixture(
  upstream: Upstream = () => chatStream(['Hi']),
  options: Partial<ModelProxyOptions> = {},
): Fixture {
  const sent: Sent[] = [];
  const events: ProxyEvent[] = [];
  const store: string[] = [];
  const inner = options.store ?? createMemoryLimits();
  const proxy = createModelProxy({
    providers: {
      openai: { apiKey: key, models: ['gpt-x', 'gpt-y'] },
      anthropic: { apiKey: key, models: ['claude-x'] },
      google: { apiKey: key, models: ['gemini-x'] },
      mistral: { apiKey: key, models: ['mistral-x'] },
      local: { apiKey: key, baseURL: 'https://llm.example/v1', models: ['llama-x'] },
    },
    origins: [origin],
    auth: async (request) =>
      request.headers.get('authorization') === 'Bearer ada' ? { subject: 'ada' } : null,
    fetch: async (input, init) => {
      const request = {
        url: input as string,
        method: init?.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init?.headers)),
        body: JSON.parse(init?.body as string) as Record<string, unknown>,
      };
      sent.push(request);
      return upstream(request, init!.signal!);
    },
    onEvent: (event) => events.push(event),
    ...options,
    store: {
      ...inner,
      reserve: (call) => {
        store.push(`reserve ${call.tokens}`);
        return inner.reserve(call);
      },
      settle: (call) => {
        store.push(`settle ${call.tokens}`);
        return inner.settle(call);
      },
    },
  });
  return { proxy, sent, events, store };
}

export const chatBody = { model: 'gpt-x', messages: [{ role: 'user', content: 'Hi' }] };

type Ask = {
  path?: string;
  method?: string;
  headers?: Record<string, string | undefined>;
  body?: unknown;
  signal?: AbortSignal;
};

/** A request of ada's from the page, with what differs. A body that is text or bytes is sent as it is. */
export function ask({
  path = '/openai/chat/completions',
  method = 'POST',
  headers = {},
  body = chatBody,
  signal,
}: Ask = {}): Request {
  const all: Record<string, string | undefined> = {
    authorization: 'Bearer ada',
    'content-type': 'application/json',
    origin,
    ...headers,
  };
  const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
  const withBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
  return new Request(path.startsWith('http') ? path : base + path, {
    method,
    headers: Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    ...(withBody ? { body: raw ? body : JSON.stringify(body), duplex: 'half' } : {}),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** `{ status, code }` of a refusal. */
export async function refused(
  answer: Response | Promise<Response>,
): Promise<{ status: number; code: string }> {
  const response = await answer;
  const body = (await response.json()) as { error: { code: string } };
  return { status: response.status, code: body.error.code };
}

export function events(data: readonly unknown[], headers: Record<string, string> = {}): Response {
  const text = data
    .map((item) => `data: ${typeof item === 'string' ? item : JSON.stringify(item)}\n\n`)
    .join('');
  return new Response(text, { headers: { 'content-type': 'text/event-stream', ...headers } });
}

export const chatUsage = { choices: [], usage: { prompt_tokens: 5, completion_tokens: 7 } };

/** A stream of Chat Completions. */
export function chatStream(deltas: readonly string[], headers: Record<string, string> = {}): Response {
  const chunks = deltas.map((content) => ({ choices: [{ index: 0, delta: { content } }] }));
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  return events([...chunks, end, chatUsage, '[DONE]'], headers);
}

/** A body that gives these parts, and then does what `end` says. */
export function parts(
  texts: readonly string[],
  end: 'close' | 'hang' | 'error' = 'close',
  onCancel: () => void = () => {},
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const left = [...texts];
  return new ReadableStream(
    {
      pull(controller) {
        const next = left.shift();
        if (next !== undefined) controller.enqueue(new TextEncoder().encode(next));
        else if (end === 'close') controller.close();
        else if (end === 'error') controller.error(new Error(`broken by ${key}`));
        else return new Promise<void>(() => {});
      },
      cancel: onCancel,
    },
    { highWaterMark: 0 },
  );
}

export const sse = { headers: { 'content-type': 'text/event-stream' } };
