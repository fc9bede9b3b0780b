/**
 * Called with a promise for each call of a prompt's own functions. It resolves once the function has really ended,
 * and never rejects. A function that ignores its signal may end after its run.
 */
export type WorkListener = (work: Promise<void>) => void;

/** Reports work to a listener, and returns it. */
export type TrackWork = <Value>(work: Promise<Value>) => Promise<Value>;

/** Does nothing without a listener. */
export function trackWork(onWork: WorkListener | undefined): TrackWork {
  return (work) => {
    onWork?.(settled(work));
    return work;
  };
}

async function settled(work: Promise<unknown>): Promise<void> {
  await work.catch(() => {});
}
