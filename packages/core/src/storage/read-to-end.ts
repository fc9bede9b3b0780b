import type { RunEvent } from '../log/events.ts';

type ReadOptions = {
  /** The id of the run, if its events do not begin with its start. */
  runId: string;
  /** Follows the run after its last event; undefined if its executor cannot. */
  attach: (runId: string) => AsyncIterable<RunEvent> | undefined;
  /** Called once, when the run has ended. */
  onEnd: () => void;
};

/** Returns the events of a run, and notices its end also if the caller stops reading before. */
export function readToEnd(
  run: AsyncIterable<RunEvent>,
  { runId: knownId, attach, onEnd }: ReadOptions,
): AsyncIterator<RunEvent> {
  const events = run[Symbol.asyncIterator]();
  let runId = knownId;
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    onEnd();
  };
  const next = async (): Promise<IteratorResult<RunEvent>> => {
    try {
      const event = await events.next();
      if (event.done === true) end();
      else if ('runId' in event.value) ({ runId } = event.value);
      return event;
    } catch (error) {
      end();
      throw error;
    }
  };
  return {
    next,
    async return() {
      // waits for the end and does not read it: the executor keeps an unread end for a caller who attaches
      const rest = attach(runId)?.[Symbol.asyncIterator]();
      if (rest !== undefined) (async () => events.return?.())().catch(() => {});
      void (async () => {
        while ((await (rest?.next() ?? next())).done !== true);
      })()
        .catch(() => {})
        .then(end);
      return { done: true, value: undefined };
    },
  };
}
