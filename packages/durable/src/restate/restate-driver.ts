import { CuelineError } from '@cueline/core';
import type { Advanced } from '@cueline/core/durable';
import { checkNames } from '@cueline/core/server';
import { object, type ObjectContext, type VirtualObjectDefinition } from '@restatedev/restate-sdk/fetch';
import { safeOnError, type AdvanceJob, type DurableDriver, type DurableWorker } from '../driver.ts';
import { send, type RestateIngress } from './send.ts';

/** The options of {@link restateDriver}. */
export type RestateDriverOptions = RestateIngress & {
  /** The name of the service in Restate. Default `cueline`. */
  service?: string | undefined;
  /** Called with the error of a failed step, which Restate tries again, for example if the store is unavailable. */
  onError?(error: unknown, runId: string): void;
  /** How long `stop` waits for the current steps before it aborts them, in milliseconds. Default 10,000. */
  graceMs?: number | undefined;
};

/** Every option. The compiler compares this list with the type. */
const optionNames: Record<keyof RestateDriverOptions, true> = {
  graceMs: true,
  headers: true,
  ingress: true,
  onError: true,
  service: true,
  timeoutMs: true,
};

/** A driver and the service that Restate calls. */
export type RestateDriver = DurableDriver & {
  /** Serve it with Restate's SDK: `serve({ services: [driver.service] })` or `createEndpointHandler`. */
  readonly service: RestateService;
};

type Handlers = { advance(context: ObjectContext): Promise<void> };
export type RestateService = VirtualObjectDefinition<string, Handlers>;

/**
 * By default, Restate considers a step dead if it writes nothing for a minute, and starts it a second time. The
 * limits of the run decide how long a step may take.
 */
const MAX_STEP = { hours: 24 };

const notWorking =
  'This process does not accept calls: `durable.work()` was not called, or its worker was stopped. Restate tries again.';

/**
 * Lets [Restate](https://restate.dev) schedule the steps. Each run is a virtual object, to which Restate makes one
 * call at a time. Each call is one step, and sends the call for the next step.
 * @throws CuelineError `invalid_options` for an unknown option, and for an `ingress` that is not a URL
 *
 * @example
 * import { serve } from '@restatedev/restate-sdk';
 * const driver = restateDriver({ ingress: 'http://localhost:8080' });
 * const durable = createDurable({ prompts: [planDay], store, driver });
 * await serve({ services: [driver.service], port: 9080 });
 * await durable.work();
 */
export function restateDriver(options: RestateDriverOptions): RestateDriver {
  checkNames('restateDriver', options ?? null, Object.keys(optionNames), 'invalid_options');
  const { service: name = 'cueline', graceMs = 10_000, ingress } = options;
  const onError = safeOnError((error, runId: string) => options.onError?.(error, runId));
  // such as that of an environment variable that is not set
  if (!URL.canParse(ingress)) {
    throw new CuelineError(
      'invalid_options',
      `The ingress of restateDriver is ${ingress}. Write { ingress: 'http://localhost:8080' }.`,
    );
  }
  /** The current steps of this process, by the ids of Restate's calls. */
  const inProgress = new Map<string, Promise<Advanced['status']>>();
  let working: { advance: AdvanceJob; stopping: AbortController } | undefined;

  /** Advances a run for a call. */
  function step(call: string, runId: string): Promise<Advanced['status']> {
    // Restate repeats a call whose connection broke, and this process may still be working on its step
    const begun = inProgress.get(call);
    if (begun !== undefined) return begun;
    if (working === undefined) throw new Error(notWorking);
    const { advance, stopping } = working;
    const status = advance(runId, stopping.signal)
      .then((advanced) => advanced.status)
      .catch((error: unknown) => {
        // another worker continues an aborted step
        if (!stopping.signal.aborted) onError(error, runId);
        throw error;
      })
      .finally(() => inProgress.delete(call));
    inProgress.set(call, status);
    return status;
  }

  const service: RestateService = object({
    name,
    handlers: {
      async advance(context: ObjectContext): Promise<void> {
        // Restate records the status, so that a repeated call sends the same calls after it
        const status = await context.run('advance', () => step(context.request().id, context.key));
        if (status === 'next') context.objectSendClient<Handlers>({ name }, context.key).advance();
      },
    },
    options: {
      inactivityTimeout: MAX_STEP,
      abortTimeout: MAX_STEP,
      // the store has the log of the run, so the journal is not needed
      journalRetention: 0,
      // a step fails only if the store or the worker is unavailable, or if the worker is too old for the run: the run
      // itself retries model calls, and their errors end it
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
          const abort = (): void => stopping.abort(new Error('The worker is stopping.'));
          const grace = setTimeout(abort, graceMs);
          await Promise.allSettled(inProgress.values());
          clearTimeout(grace);
        },
      };
    },
  };
}
