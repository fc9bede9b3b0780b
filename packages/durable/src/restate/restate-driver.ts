import { object, type ObjectContext, type VirtualObjectDefinition } from '@restatedev/restate-sdk/fetch';
import type { Advanced } from '@cueline/core/durable';
import type { AdvanceJob, DurableDriver, DurableWorker } from '../driver.ts';
import { send, type RestateIngress } from './send.ts';

export type RestateDriverOptions = RestateIngress & {
  /** The name of the service in Restate. Default `cueline`. */
  service?: string;
  /** Called with what a step failed with, such as a store that is away. Restate's SDK logs it, and tries again. */
  onError?(error: unknown, runId: string): void;
  /** How long `stop` waits for the steps under way before it aborts them, in milliseconds. Default 10,000. */
  graceMs?: number;
};

/** A driver and the service that Restate calls. */
export type RestateDriver = DurableDriver & {
  /** Serve it with Restate's SDK: `serve({ services: [driver.service] })` or `createEndpointHandler`. */
  readonly service: RestateService;
};

type Handlers = { advance(context: ObjectContext): Promise<void> };
export type RestateService = VirtualObjectDefinition<string, Handlers>;

/**
 * Restate would call a step that writes nothing for a minute dead, and start it anew beside itself. How long a step may
 * take is up to the limits of the run.
 */
const LONGEST_STEP = { hours: 24 };

/**
 * Lets [Restate](https://restate.dev) schedule the steps. Each run is a virtual object, which Restate calls once at a
 * time; each call is one step, and sends the call for the next one.
 *
 * @example
 * import { serve } from '@restatedev/restate-sdk';
 * const driver = restateDriver({ ingress: 'http://localhost:8080' });
 * const durable = createDurable({ prompts: [planDay], store, driver });
 * await serve({ services: [driver.service], port: 9080 });
 * await durable.work();
 */
export function restateDriver(options: RestateDriverOptions): RestateDriver {
  const { service: name = 'cueline', graceMs = 10_000, onError } = options;
  /** Steps under way in this process, by the ids of Restate's calls. */
  const underWay = new Map<string, Promise<Advanced['status']>>();
  let working: { advance: AdvanceJob; stopping: AbortController } | undefined;

  /** Advances a run for a call. */
  function step(call: string, runId: string): Promise<Advanced['status']> {
    // Restate repeats a call whose connection broke, and this process may still be doing its step
    const begun = underWay.get(call);
    if (begun !== undefined) return begun;
    if (working === undefined) throw new Error('This worker takes no more jobs. Restate tries again.');
    const { advance, stopping } = working;
    const status = advance(runId, stopping.signal)
      .then((advanced) => advanced.status)
      .catch((error: unknown) => {
        // a step that was aborted is continued by another worker
        if (!stopping.signal.aborted) onError?.(error, runId);
        throw error;
      })
      .finally(() => underWay.delete(call));
    underWay.set(call, status);
    return status;
  }

  const service: RestateService = object({
    name,
    handlers: {
      async advance(context: ObjectContext): Promise<void> {
        // Restate repeats what follows the step with the outcome that it has recorded, so that it is always the same
        const status = await context.run('advance', () => step(context.request().id, context.key));
        if (status === 'next') context.objectSendClient<Handlers>({ name }, context.key).advance();
      },
    },
    options: {
      inactivityTimeout: LONGEST_STEP,
      abortTimeout: LONGEST_STEP,
      // the store has the log of the run
      journalRetention: 0,
      // a step fails only if the store or the worker is away, or the worker is too old for the run: models have retries of
      // their own, and their errors end the run
      retryPolicy: {
        initialInterval: 100,
        exponentiationFactor: 2,
        maxInterval: 5_000,
        maxAttempts: Number.MAX_SAFE_INTEGER,
      },
    },
  });

  return {
    service,
    wake: (runId) => send(options, `${name}/${encodeURIComponent(runId)}/advance`),
    work(advance): DurableWorker {
      const stopping = new AbortController();
      const mine = { advance, stopping };
      working = mine;
      return {
        async stop() {
          if (working === mine) working = undefined;
          const abort = (): void => stopping.abort(new Error('The worker stops.'));
          const grace = setTimeout(abort, graceMs);
          await Promise.allSettled(underWay.values());
          clearTimeout(grace);
        },
      };
    },
  };
}
