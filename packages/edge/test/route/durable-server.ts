import type { PromptDefinition } from '@cueline/core';
import { createDurable, inProcessDriver, type Durable, type DurableStore } from '@cueline/durable';
import { createPromptRoute, type PromptRouteOptions, type RunGuard } from '@cueline/edge';
import { onTestFinished } from 'vitest';
import { page } from './routes.ts';

export type Server = {
  durable: Durable;
  /** Asks the route as a subject. */
  fetch(subject?: string): (request: Request) => Promise<Response>;
  /** Starts the worker, which ends with the test or when the returned function is called. */
  work(): Promise<() => Promise<void>>;
};

/** A server process: its durable runs, with a guard if there is one, its route, and its worker. */
export function createServer(
  { prompt }: { prompt: PromptDefinition },
  store: DurableStore,
  { guard, ...options }: Partial<PromptRouteOptions> & { guard?: RunGuard | undefined } = {},
): Server {
  const driver = inProcessDriver({ graceMs: 0, onError: () => {} });
  const durable = createDurable({ prompts: [prompt], store, driver, guard });
  const route = createPromptRoute(prompt, {
    durable,
    origins: [page],
    auth: async ({ headers }) => {
      const subject = headers.get('authorization')?.replace('Bearer ', '');
      return subject === undefined ? null : { subject };
    },
    ...options,
  });
  return {
    durable,
    fetch:
      (subject = 'ada') =>
      (request) => {
        const sent = new Request(request);
        sent.headers.set('authorization', `Bearer ${subject}`);
        return route(sent);
      },
    async work() {
      const worker = await durable.work();
      onTestFinished(() => worker.stop());
      return () => worker.stop();
    },
  };
}
