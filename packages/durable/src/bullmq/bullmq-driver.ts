import { createNodeRedisClient, Queue, WaitingError, Worker, type ConnectionOptions, type Job } from 'bullmq';
import type { AdvanceJob, DurableDriver, DurableWorker } from '../driver.ts';

export type BullmqDriverOptions = {
  /**
   * A client of `redis` or `ioredis`. It belongs to the caller, who also closes it. Each worker opens duplicates of it,
   * and closes them.
   */
  connection: object;
  /** The name of the queue. Workers and those who start runs use the same. Default `cueline`. */
  queue?: string;
  /** How many runs this process advances at the same time. A run that waits for a response takes no place. Default 16. */
  concurrency?: number;
  /**
   * Called with what a job failed with, such as a store that is away, and with errors of Redis, which belong to no run. A
   * job is tried again after a pause, of half a minute at most. Default: `console.error`.
   */
  onError?(error: unknown, runId: string | undefined): void;
  /** How long `stop` waits for the steps under way before it aborts them, in milliseconds. Default 10,000. */
  graceMs?: number;
  /**
   * How long a worker may be silent, in milliseconds. After that, another takes its runs over, within twice the time.
   * Default 30,000.
   */
  lockMs?: number;
};

const LONGEST_PAUSE_MS = 30_000;

/** How long a connection that was lost is left alone, in milliseconds. BullMQ's own default is 15 seconds. */
const RECONNECT_MS = 1_000;

/** How much longer than its grace a worker that stops waits for Redis, in milliseconds. */
const AWAY_MS = 2_000;

/** More than ever happen. Each step is a job of its own, and its failures are reported. */
const ANY_NUMBER = 1_000_000;

/**
 * Advances runs with any number of workers over a queue of BullMQ. Each step is a job. The queue contains ids only, so
 * that a queue that is lost is filled again by the next worker that starts. Redis needs `appendonly yes` and
 * `maxmemory-policy noeviction`.
 *
 * @example
 * const client = await createClient({ url }).on('error', console.error).connect();
 * const store = createRedisStore(client);
 * const durable = createDurable({ prompts, store, driver: bullmqDriver({ connection: client }) });
 */
export function bullmqDriver(options: BullmqDriverOptions): DurableDriver {
  const { queue: name = 'cueline', onError = logError } = options;
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
 * Returns what BullMQ talks to. Its adapter of a client of `redis` emits that client's errors, also once the queue and the
 * workers that listen to them are closed, and the process would end then.
 */
function adapt(client: object): ConnectionOptions {
  if (!('isOpen' in client) || 'defineCommand' in client) return client;
  const adapter = createNodeRedisClient(client);
  adapter.on('error', () => {});
  return adapter;
}

/**
 * A run has one job at a time. A wake-up while that one is active adds another job when it ends. One that pauses after a failure
 * is replaced by a job that is due at once.
 */
function jobOptions(runId: string): Parameters<Queue['add']>[2] {
  return {
    deduplication: { id: runId, keepLastIfActive: true, replace: true },
    attempts: ANY_NUMBER,
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
  options: BullmqDriverOptions & Required<Pick<BullmqDriverOptions, 'queue' | 'onError'>>,
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
        // another worker continues it at once
        await job.moveToWait(token);
        throw new WaitingError();
      }
      if (!lost.aborted) onError(error, job.data.runId);
      throw error;
    }
  }

  const worker = new Worker<RunJob['data']>(
    queue,
    // BullMQ counts the parameters, and gives a signal as the third one
    async (job, token, lost) => run(job, token, lost),
    {
      connection: options.connection,
      concurrency,
      lockDuration: lockMs,
      stalledInterval: lockMs,
      // a step is taken over as often as its workers are killed
      maxStalledCount: ANY_NUMBER,
      runRetryDelay: RECONNECT_MS,
      settings: { backoffStrategy: (attempt) => Math.min(100 * 2 ** attempt, LONGEST_PAUSE_MS) },
    },
  );
  worker.on('error', (error) => {
    // a job that a stopping worker gives back has no lock any more, and BullMQ may be about to renew it
    if (stopping.signal.aborted && error.message.startsWith('could not renew lock')) return;
    onError(error, undefined);
  });
  // another worker has the job by now, or soon
  worker.on('lockRenewalFailed', (ids) => ids.forEach((id) => worker.cancelJob(id, 'The lock is lost.')));

  return {
    async stop() {
      const abort = (): void => stopping.abort(new Error('The worker stops.'));
      const grace = setTimeout(abort, graceMs);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const silent = new Promise((resolve) => (timer = setTimeout(resolve, graceMs + AWAY_MS)));
      // without Redis, BullMQ would wait for it
      await Promise.race([worker.close(), silent]);
      clearTimeout(grace);
      clearTimeout(timer);
    },
  };
}

function logError(error: unknown, runId: string | undefined): void {
  const what =
    runId === undefined
      ? 'The queue of durable runs has an error.'
      : `Run ${runId} could not be advanced, and will be tried again.`;
  // otherwise a run that cannot be advanced would only seem to wait
  // oxlint-disable-next-line no-console
  console.error(what, error);
}
