import { CuelineError } from './errors.ts';

/** What does not listen to its signal must not hold up a run that is stopped, or a time limit: rejects when it aborts. */
export async function untilAborted<Value>(
  value: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return value;
  let letGo: () => void = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    letGo = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    letGo();
  }
}

/** Resolves once something has ended, however it did, or after so many milliseconds. */
export async function untilSettled(work: Promise<unknown> | undefined, ms: number = Infinity): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => {
    if (ms <= MAX_TIMER_MS) timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]).catch(() => {});
  clearTimeout(timer);
}

/** `setTimeout` takes no more. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** How long a tool's call may take. */
export type TimeLimit = {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** The time does not run while `work` is under way, and begins anew after it. */
  holdDuring<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Lets go of the timer. */
  clear(): void;
};

/** Begins the time of a tool's call. */
export function timeLimit(
  toolName: string,
  ms: number,
  message = `${toolName} took longer than ${ms} ms, so it was ended.`,
): TimeLimit {
  const controller = new AbortController();
  const error = new CuelineError('timeout', message, { details: { toolName, timeoutMs: ms } });
  const begin = (): ReturnType<typeof setTimeout> | undefined =>
    ms > MAX_TIMER_MS ? undefined : setTimeout(() => controller.abort(error), ms);
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
