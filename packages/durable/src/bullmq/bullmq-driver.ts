import { checkNames } from '@cueline/core/server';
import { createNodeRedisClient, Queue, WaitingError, Worker, type ConnectionOptions, type Job } from 'bullmq';
import { checkMethods } from '../check-methods.ts';
import { safeOnError, type AdvanceJob, type DurableDriver, type DurableWorker } from '../driver.ts';

/** The options of {@link bullmqDriver}. */
export type BullmqDriverOptions = {
  /**
   * A client of `redis` or `ioredis`. The caller owns it, and closes it. Each worker opens duplicates of it, and closes
   * those.
   */
  connection: object;
  /** The name of the queue. Use the same in all processes that start or advance runs. Default `cueline`. */
  queue?: string | undefined;
  /** How many runs this process advances at the same time. Runs that wait for a response do not count. Default 16. */
  concurrency?: number | undefined;
  /**
   * Called with the error of a failed job, for example if the store is unavailable, and with errors of Redis, without
   * a run. A failed job is tried again after a pause of at most 30 seconds. Default: `console.error`.
   */
  onError?(error: unknown, runId: string | undefined): void;
  /** How long `stop` waits for the current steps before it aborts them, in milliseconds. Default 10,000. */
  graceMs?: number | undefined;
  /**
   * How long a worker may be silent before it loses its jobs, in milliseconds. Another worker takes its runs over
   * within twice this time. Default 30,000.
   */
  lockMs?: number | undefined;
};

/** Every option. The compiler compares this list with the type. */
const optionNames: Record<keyof BullmqDriverOptions, true> = {
  concurrency: true,
  connection: true,
  graceMs: true,
  lockMs: true,
  onError: true,
  queue: true,
};

const MAX_PAUSE_MS = 30_000;

/** How long a worker waits before it uses a lost connection again, in milliseconds. BullMQ's default is 15 seconds. */
const RECONNECT_MS = 1_000;

/** How much longer than `graceMs` a stopping worker waits for Redis, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Larger than any real number of attempts: a step is tried until it succeeds. */
const UNLIMITED = 1_000_000;

/**
 * Advances runs with any number of workers, which share a queue of BullMQ. Each step is a job. The queue contains
 * only ids: if it is lost, the next worker that starts fills it again. Redis needs `appendonly yes` and
 * `maxmemory-policy noeviction`.
 * @throws CuelineError `invalid_options` for an unknown option, and without a `connection`
 *
 * @example
 * const client = await createClient({ url }).on('error', console.error).connect();
 * const store = createRedisStore(client);
 * const durable = createDurable({ prompts, store, driver: bullmqDriver({ connection: client }) });
 */
export function bullmqDriver(options: BullmqDriverOptions): DurableDriver {
  checkNames('bullmqDriver', options ?? null, Object.keys(optionNames), 'invalid_options');
  const { queue: name = 'cueline' } = options;
  const onError = safeOnError(options.onError ?? logError);
  checkConnection(options.connection);
  const connection = adapt(options.connection);
  let opened: Queue | undefined;

  function open(): Queue {
    if (opened !== undefined) return opened;
    opened = new Queue(name, { connection });
    opened.on('error', (error) => onError(error, undefined));
    return opened;
  }

  async function wake(runId: string): Promise<void> {
    await open().add('advance', { runId }, jobOptions(runId));
  }

  return {
    wake,
    work: (advance) => startWorker(advance, wake, { ...options, connection, queue: name, onError }),
  };
}

/**
 * Refuses what BullMQ would replace with a Redis on this machine, or cannot use.
 * @throws CuelineError `invalid_options`
 */
function checkConnection(given: unknown): void {
  // BullMQ also takes the address of a Redis: { host, port }
  if (typeof given === 'object' && given !== null && !('then' in given)) return;
  const write = "bullmqDriver({ connection: client }), with a client of 'redis' or 'ioredis'";
  checkMethods('The connection of bullmqDriver', given, ['duplicate'], write);
}

/**
 * Returns the connection for BullMQ. BullMQ's adapter for clients of `redis` emits the client's errors, even after
 * the queue and the workers that listen for them are closed. Without another listener, such an error would end the
 * process.
 */
function adapt(client: object): ConnectionOptions {
  if (!('isOpen' in client) || 'defineCommand' in client) return client;
  const adapter = createNodeRedisClient(client);
  adapter.on('error', () => {});
  return adapter;
}

/**
 * A run has one job at a time. If the run is woken while its job is active, another job follows. If the job pauses
 * after a failure, a job that is due at once replaces it.
 */
function jobOptions(runId: string): Parameters<Queue['add']>[2] {
  return {
    deduplication: { id: runId, keepLastIfActive: true, replace: true },
    attempts: UNLIMITED,
    backoff: { type: 'custom' },
    removeOnComplete: true,
    removeOnFail: true,
    stackTraceLimit: 0,
  };
}

type RunJob = Job<{ runId: string }>;

function startWorker(
  advance: AdvanceJob,
  wake: (runId: string) => Promise<void>,
  options: BullmqDriverOptions & { queue: string; onError: NonNullable<BullmqDriverOptions['onError']> },
): DurableWorker {
  const { queue, onError, concurrency = 16, graceMs = 10_000, lockMs = 30_000 } = options;
  const stopping = new AbortController();

  async function work({ data: { runId } }: RunJob, signal: AbortSignal): Promise<void> {
    const { status } = await advance(runId, signal);
    if (status === 'next') await wake(runId);
  }

  async function run(job: RunJob, token?: string, lost: AbortSignal = stopping.signal): Promise<void> {
    try {
      await work(job, AbortSignal.any([stopping.signal, lost]));
    } catch (error) {
      if (stopping.signal.aborted) {
        // another worker continues at once
        await job.moveToWait(token);
        throw new WaitingError();
      }
      if (!lost.aborted) onError(error, job.data.runId);
      throw error;
    }
  }

  const worker = new Worker<RunJob['data']>(
    queue,
    // BullMQ passes the signal only to a function with three parameters
    async (job, token, lost) => run(job, token, lost),
    {
      connection: options.connection,
      concurrency,
      lockDuration: lockMs,
      stalledInterval: lockMs,
      // a job stalls each time that its worker is killed
      maxStalledCount: UNLIMITED,
      runRetryDelay: RECONNECT_MS,
      settings: { backoffStrategy: (attempt) => Math.min(100 * 2 ** attempt, MAX_PAUSE_MS) },
    },
  );
  worker.on('error', (error) => {
    // BullMQ may try to renew the lock of a job that this worker has given back
    if (stopping.signal.aborted && error.message.startsWith('could not renew lock')) return;
    onError(error, undefined);
  });
  // another worker has the job, or will get it soon
  worker.on('lockRenewalFailed', (ids) =>
    ids.forEach((id) => worker.cancelJob(id, 'The worker has lost the lock of this job.')),
  );

  return {
    async stop() {
      const abort = (): void => stopping.abort(new Error('The worker is stopping.'));
      const grace = setTimeout(abort, graceMs);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const silent = new Promise((resolve) => (timer = setTimeout(resolve, graceMs + CLOSE_TIMEOUT_MS)));
      // if Redis is unavailable, BullMQ would wait for it
      await Promise.race([worker.close(), silent]);
      clearTimeout(grace);
      clearTimeout(timer);
    },
  };
}

function logError(error: unknown, runId: string | undefined): void {
  const what =
    runId === undefined
      ? 'The queue of durable runs has an error. Check that Redis is up.'
      : `Run ${runId} could not be advanced. A worker tries again.`;
  // without this message, a run that cannot be advanced would seem to wait
  // oxlint-disable-next-line no-console
  console.error(what, error);
}
