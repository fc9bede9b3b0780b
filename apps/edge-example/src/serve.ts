import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { serve, type ServerRequest } from 'srvx';
import { staticMiddleware } from 'srvx/static';
import type { Assets } from './create-app.ts';
import { endOnSignal } from './shut-down.ts';
import { serveSimulatedProvider } from './simulated-provider/serve-provider.ts';
import worker from './worker.ts';

const { PORT = '4175', OPENAI_API_KEY, OPENAI_API_BASE, CUELINE_MODEL } = process.env;
// a new one ends all sessions, and with them goes what the memory of this process has of their runs
const { SESSION_SECRET = randomUUID(), SECURE_COOKIES } = process.env;
const files = staticMiddleware({ dir: fileURLToPath(new URL('../../react-example/dist', import.meta.url)) });
const assets: Assets = {
  fetch: async (request) => files(request, () => new Response('There is no such file.', { status: 404 })),
};

// everything that the worker is bound to; it is complete once it is known which port it has
const variables = await providerVariables();
let origins = '';
const address = (request: ServerRequest): string => request.ip ?? '';
const underWay = new Set<Promise<void>>();

const server = serve({
  port: Number(PORT),
  // this machine only: whoever reaches the page spends what the key pays for
  hostname: '127.0.0.1',
  silent: true,
  // its own way cuts answers off after five seconds, and leaves the process to the runs
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

/** OpenAI where there is a key, else a provider of our own that has one and asks for it. */
async function providerVariables(): Promise<{
  OPENAI_API_KEY: string;
  OPENAI_API_BASE?: string | undefined;
  CUELINE_MODEL?: string | undefined;
}> {
  if (OPENAI_API_KEY !== undefined && OPENAI_API_KEY !== '') {
    console.log(`Provider: ${OPENAI_API_BASE ?? 'OpenAI'}, with the key in OPENAI_API_KEY`);
    return { OPENAI_API_KEY, OPENAI_API_BASE, CUELINE_MODEL };
  }
  // tests set it, to look for it everywhere it must not be
  const key = process.env['SIMULATED_API_KEY'] ?? `sk-simulated-${randomUUID()}`;
  const url = await serveSimulatedProvider(key);
  console.log(`Provider: simulated, at ${url} (set OPENAI_API_KEY for a real one)`);
  return { OPENAI_API_KEY: key, OPENAI_API_BASE: url, CUELINE_MODEL: 'simulated' };
}
