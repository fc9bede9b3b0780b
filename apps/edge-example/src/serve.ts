import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { serve, type ServerRequest } from 'srvx';
import { staticMiddleware } from 'srvx/static';
import type { Assets } from './serve-page.ts';
import { endOnSignal } from './shut-down.ts';
import { serveSimulatedProvider } from './simulated-provider/serve-provider.ts';
import worker from './worker.ts';

const { PORT = '4175', OPENAI_API_KEY, OPENAI_API_BASE, CUELINE_MODEL } = process.env;
// a new secret ends all sessions, and this process would have forgotten their runs anyway
const { SESSION_SECRET = randomUUID(), SECURE_COOKIES } = process.env;
const files = staticMiddleware({ dir: fileURLToPath(new URL('../../react-example/dist', import.meta.url)) });
const assets: Assets = {
  fetch: async (request) => files(request, () => new Response('There is no such file.', { status: 404 })),
};

// the worker's bindings; complete once the port is known
const variables = await providerVariables();
let origins = '';
const address = (request: ServerRequest): string => request.ip ?? '';
const underWay = new Set<Promise<void>>();

const server = serve({
  port: Number(PORT),
  // this machine only: anyone who reaches the page spends the key's budget
  hostname: '127.0.0.1',
  silent: true,
  // srvx's own shutdown would cut answers off after five seconds
  gracefulShutdown: false,
  fetch: (request) =>
    worker.fetch(
      request,
      {
        ...variables,
        ASSETS: assets,
        ORIGINS: origins,
        ADDRESS: address,
        SESSION_SECRET,
        SECURE_COOKIES,
      },
      {
        waitUntil(work) {
          underWay.add(work);
          void work.finally(() => underWay.delete(work));
        },
      },
    ),
});
endOnSignal(server, underWay);
await server.ready();
const { port } = new URL(server.url!);
origins = process.env['ORIGINS'] ?? `http://localhost:${port},http://127.0.0.1:${port}`;
console.log(`The React example with a server: http://localhost:${port}`);

/** OpenAI if there is a key, otherwise a simulated provider that requires a key of its own. */
async function providerVariables(): Promise<{
  OPENAI_API_KEY: string;
  OPENAI_API_BASE?: string | undefined;
  CUELINE_MODEL?: string | undefined;
}> {
  if (OPENAI_API_KEY !== undefined && OPENAI_API_KEY !== '') {
    console.log(`Provider: ${OPENAI_API_BASE ?? 'OpenAI'}, with the key in OPENAI_API_KEY`);
    return { OPENAI_API_KEY, OPENAI_API_BASE, CUELINE_MODEL };
  }
  // tests set it, to search for it where it must not appear
  const key = process.env['SIMULATED_API_KEY'] ?? `sk-simulated-${randomUUID()}`;
  const url = await serveSimulatedProvider(key);
  console.log(`Provider: simulated, at ${url} (set OPENAI_API_KEY for a real one)`);
  return { OPENAI_API_KEY: key, OPENAI_API_BASE: url, CUELINE_MODEL: 'simulated' };
}
