import type { RunEvent } from '../log/events.ts';

/** Stores the events of a run in order, one batch after the other. */
export type EventQueue = {
  add(event: RunEvent): void;
  /** Stores the held-back end of a step, because nothing follows it. */
  release(): void;
  /** Resolves once everything that was added before is stored. Rejects if it cannot be. */
  stored(): Promise<void>;
};

/**
 * Creates a queue before `append`, which stores a batch as a whole or not at all. After a failure nothing more is
 * stored, and `onFailure` is called: the run may belong to another worker by then.
 *
 * The end of a step is held back until what follows it is decided: another step, a message to the model, an approval
 * that the provider asks for, or the end. The process that continues the log then finds the decision, too.
 */
export function createEventQueue(
  append: (events: readonly RunEvent[]) => Promise<void>,
  onFailure: (error: unknown) => void,
): EventQueue {
  let waiting: RunEvent[] = [];
  /** Loops, by their agents' paths, whose step has ended and of which it is not known what follows. */
  const undecided = new Set<string>();
  let work: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;
  /** Callers, each with the number of stored events that it waits for. */
  let readers: { count: number; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let added = 0;
  let kept = 0;

  async function write(): Promise<void> {
    // the events of one turn of the event loop are stored together
    await Promise.resolve();
    try {
      while (waiting.length > 0 && undecided.size === 0) {
        const batch = waiting;
        waiting = [];
        await append(batch);
        kept += batch.length;
        readers = readers.filter(({ count, resolve }) => {
          if (count > kept) return true;
          resolve();
          return false;
        });
      }
    } catch (error) {
      failure = { error };
      waiting = [];
      onFailure(error);
      for (const { reject } of readers) reject(error);
      readers = [];
    } finally {
      work = undefined;
    }
  }

  function start(): void {
    if (undecided.size === 0 && waiting.length > 0) work ??= write();
  }

  return {
    add(event) {
      if (failure !== undefined) return;
      waiting.push(event);
      added += 1;
      const path = event.agent ?? '';
      if (event.type === 'step-end') undecided.add(path);
      else if (decides(event)) undecided.delete(path);
      if (event.type === 'run-end') undecided.clear();
      start();
    },
    release() {
      undecided.clear();
      start();
    },
    async stored() {
      if (failure !== undefined) throw failure.error;
      if (kept === added) return;
      await new Promise<void>((resolve, reject) => readers.push({ count: added, resolve, reject }));
    },
  };
}

/** True for an event that says what follows the end of a step. */
function decides(event: RunEvent): boolean {
  const { type } = event;
  if (type === 'approval-request') return event.providerExecuted === true;
  return type === 'step-start' || type === 'steer' || type === 'agent-end';
}
