import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { serve } from 'srvx/node';
import { createModelProxy, key, type ModelProxyOptions, origin, type ProxyEvent } from './support.ts';

/** A request as the provider got it. */
export type Seen = {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  closedAt?: number;
};

/** A provider and the proxy before it, both served by Node on this machine. */
export type Served = AsyncDisposable & {
  /** Where the proxy stands, with its base path. */
  url: string;
  port: number;
  /** Where the provider stands. */
  upstream: string;
  seen: Seen[];
  events: ProxyEvent[];
};

/** Serves both. `answer` is the provider. */
export async function serveBoth(
  answer: (response: ServerResponse, request: Seen) => void,
  options: Partial<ModelProxyOptions> = {},
): Promise<Served> {
  const seen: Seen[] = [];
  const events: ProxyEvent[] = [];
  const upstream = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += String(part)));
    request.on('end', () => {
      const got: Seen = {
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(text || '{}') as Record<string, unknown>,
      };
      response.on('close', () => (got.closedAt = performance.now()));
      seen.push(got);
      answer(response, got);
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const baseURL = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
  const proxy = createModelProxy({
    providers: { openai: { apiKey: key, baseURL, models: ['gpt-x'] } },
    origins: [origin],
    auth: (request) => (request.headers.get('authorization') === 'Bearer ada' ? { subject: 'ada' } : null),
    limits: { rpm: 1_000 },
    onEvent: (event) => events.push(event),
    ...options,
  });
  const server = serve({
    fetch: (request: Request) => proxy(request),
    port: 0,
    hostname: '127.0.0.1',
    silent: true,
    gracefulShutdown: false,
  });
  await server.ready();
  const { port } = new URL(server.url!);
  return {
    url: `http://127.0.0.1:${port}/api/models`,
    port: Number(port),
    upstream: baseURL,
    seen,
    events,
    async [Symbol.asyncDispose]() {
      upstream.closeAllConnections();
      await server.close(true);
      await new Promise((resolve) => upstream.close(resolve));
    },
  };
}

/** Begins a stream, and gives what writes an event to it. */
export function stream(response: ServerResponse): (data: unknown) => boolean {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'set-cookie': 'a=b', server: 'provider' });
  return (data) => response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
}

/** Sends these bytes as they are, and gives the first line of the answer; '' where there is none. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let got = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    socket.on('data', (part) => {
      got += String(part);
      if (!got.includes('\r\n')) return;
      socket.destroy();
      resolve(got.slice(0, got.indexOf('\r\n')));
    });
    // a server that has had enough closes, maybe while more is being sent
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(got) : reject(error),
    );
    socket.on('close', () => resolve(got));
  });
}
