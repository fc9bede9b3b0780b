import { CuelineError } from '@cueline/core';
import { checkNames } from '@cueline/core/server';
import { safeOnError, type AdvanceJob, type DurableDriver } from './driver.ts';

/** The options of {@link inProcessDriver}. */
export type InProcessDriverOptions = {
  /** How many runs are advanced at the same time. Runs that wait for a response do not count. Default 16. */
  concurrency?: number | undefined;
  /**
   * Called with the error of a failed job, for example if the store is unavailable. The job is tried again after a
   * pause of at most 30 seconds. Default: `console.error`.
   */
  onError?(error: unknown, runId: string): void;
  /** How long `stop` waits for the current steps before it aborts them, in milliseconds. Default 10,000. */
  graceMs?: number | undefined;
};

/** Every option. The compiler compares this list with the type. */
const optionNames: Record<keyof InProcessDriverOptions, true> = {
  concurrency: true,
  graceMs: true,
  onError: true,
};

const MAX_PAUSE_MS = 30_000;

/**
 * How much longer than `graceMs` a stopping worker waits for steps that do not end when they are aborted, in
 * milliseconds.
 */
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Advances runs in this process, without a broker. For a single machine. After a restart, the worker of {@link
 * createDurable} continues all unfinished runs of the store.
 * @throws CuelineError `invalid_options` for an unknown option, and for a `concurrency` below 1
 */
export function inProcessDriver(options: InProcessDriverOptions = {}): DurableDriver {
  checkNames('inProcessDriver', options, Object.keys(optionNames), 'invalid_options');
  const { concurrency } = options;
  // with 0 no run would ever be advanced
  if (concurrency !== undefined && !(concurrency >= 1)) {
    throw new CuelineError(
      'invalid_options',
      `inProcessDriver's concurrency is ${String(concurrency)}, so no run would be advanced. Write a number from 1 on, or leave it out for 16.`,
    );
  }
  return new InProcessDriver(options);
}

/** The jobs of one process. Each run has at most one running job and one waiting job. */
class InProcessDriver implements DurableDriver {
  readonly #concurrency: number;
  readonly #onError;
  readonly #graceMs: number;
  readonly #due = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #failures = new Map<string, number>();
  readonly #pauses = new Set<ReturnType<typeof setTimeout>>();
  #advance: AdvanceJob | undefined;
  #stopping = new AbortController();

  constructor({ concurrency = 16, onError = logError, graceMs = 10_000 }: InProcessDriverOptions) {
    this.#concurrency = concurrency;
    this.#graceMs = graceMs;
    this.#onError = safeOnError(onError);
  }

  async wake(runId: string): Promise<void> {
    this.#due.add(runId);
    this.#next();
  }

  work(advance: AdvanceJob): { stop(): Promise<void> } {
    const stopping = new AbortController();
    this.#advance = advance;
    this.#stopping = stopping;
    this.#next();
    return {
      stop: async () => {
        // a worker that was started since then continues
        if (this.#stopping === stopping) {
          this.#advance = undefined;
          for (const pause of this.#pauses) clearTimeout(pause);
          this.#pauses.clear();
        }
        const abort = (): void => stopping.abort(new Error('The worker is stopping.'));
        const grace = setTimeout(abort, this.#graceMs);
        let timer: ReturnType<typeof setTimeout> | undefined;
        const silent = new Promise(
          (resolve) => (timer = setTimeout(resolve, this.#graceMs + CLOSE_TIMEOUT_MS)),
        );
        await Promise.race([Promise.all(this.#running.values()), silent]);
        clearTimeout(grace);
        clearTimeout(timer);
      },
    };
  }

  #next(): void {
    for (const runId of this.#due) {
      if (this.#advance === undefined || this.#running.size >= this.#concurrency) return;
      // it stays due until its running job has ended
      if (this.#running.has(runId)) continue;
      this.#due.delete(runId);
      this.#running.set(runId, this.#run(runId, this.#advance));
    }
  }

  async #run(runId: string, advance: AdvanceJob): Promise<void> {
    const stopping = this.#stopping;
    try {
      const { status } = await advance(runId, stopping.signal);
      this.#failures.delete(runId);
      if (status === 'next') this.#due.add(runId);
    } catch (error) {
      // another worker continues an aborted step
      if (stopping.signal.aborted) return;
      this.#onError(error, runId);
      // the next worker wakes all unfinished runs
      if (this.#advance !== undefined) this.#retryLater(runId);
    } finally {
      this.#running.delete(runId);
      this.#next();
    }
  }

  #retryLater(runId: string): void {
    const failures = (this.#failures.get(runId) ?? 0) + 1;
    this.#failures.set(runId, failures);
    const pause = setTimeout(
      () => {
        this.#pauses.delete(pause);
        void this.wake(runId);
      },
      Math.min(100 * 2 ** failures, MAX_PAUSE_MS),
    );
    this.#pauses.add(pause);
  }
}

function logError(error: unknown, runId: string): void {
  // without this message, a run that cannot be advanced would seem to wait
  // oxlint-disable-next-line no-console
  console.error(`Run ${runId} could not be advanced. The worker tries again.`, error);
}
