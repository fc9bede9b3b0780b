import { formatDuration } from './format-duration.ts';

/** How long a worker waits for each answer of the store or the engine, in milliseconds. */
export const ANSWER_TIMEOUT_MS = 30_000;

/** Resolves like `work`, or rejects after `ms` milliseconds: a store behind a half-open connection never answers. */
export async function withTimeout<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(timeoutError(ms)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function timeoutError(ms: number): Error {
  return new Error(
    `There was no answer within ${formatDuration(ms)}. Check that the store and the engine are up.`,
  );
}
