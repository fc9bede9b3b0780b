import { CuelineError } from './errors.ts';
import { startTimer } from './timer.ts';

/**
 * Waits for a value, but rejects when the signal aborts. A function that ignores its signal must not delay a stop or
 * a time limit.
 */
export async function untilAborted<Value>(
  value: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return value;
  let stopListening: () => void = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    stopListening = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    stopListening();
  }
}

/** Resolves once the work has ended in any way, or after `ms` milliseconds. */
export async function untilSettled(work: Promise<unknown> | undefined, ms: number = Infinity): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => (timer = startTimer(resolve, ms)));
  await Promise.race([work, late]).catch(() => {});
  clearTimeout(timer);
}

/** The time limit of a tool's call. */
export type TimeLimit = {
  /** Aborts when the time is up. */
  readonly signal: AbortSignal;
  /** Pauses the time limit during `work`, and restarts it afterwards. */
  holdDuring<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Clears the timer. */
  clear(): void;
};

/** Starts the time limit of a tool's call. */
export function timeLimit(
  toolName: string,
  ms: number,
  message = `${toolName} took longer than ${ms} ms, so it was ended.`,
): TimeLimit {
  const controller = new AbortController();
  const end = (): void =>
    controller.abort(new CuelineError('timeout', message, { details: { toolName, timeoutMs: ms } }));
  const begin = (): ReturnType<typeof startTimer> => startTimer(end, ms);
  let timer = begin();
  let held = 0;
  let cleared = false;
  return {
    signal: controller.signal,
    async holdDuring(work) {
      held += 1;
      clearTimeout(timer);
      try {
        return await work();
      } finally {
        held -= 1;
        if (held === 0 && !cleared) timer = begin();
      }
    },
    clear() {
      cleared = true;
      clearTimeout(timer);
    },
  };
}
