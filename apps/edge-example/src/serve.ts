import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { createMemoryLimits } from '@cueline/edge';
import { guesthouse } from '@cueline/react-example/demo';
import { serve, type ServerRequest } from 'srvx';
import { staticMiddleware } from 'srvx/static';
import type { WorkerEnvironment } from './create-app.ts';
import { logGuesthouse } from './log-guesthouse.ts';
import { openRuns } from './open-runs.ts';
import type { Assets } from './serve-page.ts';
import { endOnSignal } from './shut-down.ts';
import { serveSimulatedProvider } from './simulated-provider/serve-provider.ts';
import worker from './worker.ts';

const { PORT = '4175', OPENAI_API_KEY, OPENAI_API_BASE, CUELINE_MODEL } = process.env;
const { SESSION_SECRET, SECURE_COOKIES, DURABLE, GUESTHOUSE_MS } = process.env;
const files = staticMiddleware({ dir: fileURLToPath(new URL('../../react-example/dist', import.meta.url)) });
const assets: Assets = {
  fetch: async (request) => files(request, () => new Response('There is no such file.', { status: 404 })),
};
const address = (request: ServerRequest): string => request.ip ?? '';
const inProgress = new Set<Promise<void>>();

const server = serve({
  port: Number(PORT),
  // this machine only: anyone who reaches the page spends the key's budget
  hostname: '127.0.0.1',
  silent: true,
  // srvx's own shutdown would cut answers off after five seconds
  gracefulShutdown: false,
  fetch: async (request) =>
    worker.fetch(request, await bindings, {
      waitUntil(work) {
        inProgress.add(work);
        void work.finally(() => inProgress.delete(work));
      },
    }),
});
logGuesthouse();
if (GUESTHOUSE_MS !== undefined) guesthouse.latencyMs = Number(GUESTHOUSE_MS);
const bindings = bind();
await bindings;
console.log(`The React example with a server: http://localhost:${new URL(server.url!).port}`);

/** The worker's bindings. */
async function bind(): Promise<WorkerEnvironment> {
  // first the port: a second process would end here, before it opens the same folder of runs
  await server.ready();
  const { port } = new URL(server.url!);
  const variables = await providerVariables();
  // one store for the proxy, the route and the stored runs, so that they share the daily count
  const limitStore = createMemoryLimits();
  const runs =
    DURABLE === undefined || DURABLE === '' ? undefined : await openRuns(DURABLE, variables, limitStore);
  endOnSignal(server, inProgress, runs);
  return {
    ...variables,
    ASSETS: assets,
    ORIGINS: process.env['ORIGINS'] ?? `http://localhost:${port},http://127.0.0.1:${port}`,
    ADDRESS: address,
    // without stored runs, a new secret ends sessions whose runs this process would have forgotten anyway
    SESSION_SECRET: SESSION_SECRET ?? runs?.sessionSecret ?? randomUUID(),
    SECURE_COOKIES,
    DURABLE: runs?.durable,
    LIMITS: limitStore,
  };
}

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
