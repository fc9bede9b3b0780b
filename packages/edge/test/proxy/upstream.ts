import { serve } from 'srvx/node';
import { serveUpstream, type Answer, type Upstream } from '../runtimes/upstream.ts';
import { openWire } from '../runtimes/wire.ts';
import { createModelProxy, key, origin, type ProxyEvent } from './support.ts';

/** A provider and the proxy before it, both served by Node on this machine. */
export type Served = AsyncDisposable &
  Pick<Upstream, 'seen'> & {
    /** Where the proxy stands, with its base path. */
    url: string;
    port: number;
    events: ProxyEvent[];
  };

/** Serves both. `answer` is the provider. */
export async function serveBoth(answer: Answer): Promise<Served> {
  const events: ProxyEvent[] = [];
  const upstream = await serveUpstream();
  upstream.answer(answer);
  const proxy = createModelProxy({
    providers: { openai: { apiKey: key, baseURL: `${upstream.url}/v1`, models: ['gpt-x'] } },
    origins: [origin],
    auth: (request) => (request.headers.get('authorization') === 'Bearer ada' ? { subject: 'ada' } : null),
    limits: { rpm: 1_000 },
    onEvent: (event) => events.push(event),
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
    seen: upstream.seen,
    events,
    async [Symbol.asyncDispose]() {
      await server.close(true);
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** Sends these bytes as they are, and returns the first line of the answer, or '' if the server only closes. */
export async function sendRaw(port: number, text: string): Promise<string> {
  const wire = await openWire({ port });
  wire.write(text);
  const got = await wire.until(/\r\n/);
  wire.close();
  return got.split('\r\n')[0]!;
}
