import type { RunEvent } from '../log/events.ts';
import type { RunLog } from '../log/run-log.ts';
import type { RunState } from '../log/state.ts';

/** The live view of one run. Looking at it makes the run go; a run whose `result` is read goes anyway. */
export type LiveRun = {
  readonly id: string;
  /** The state after everything that has happened so far. */
  readonly state: RunState;
  /** Calls `listener` with the state at most once a frame, and once after the end. Returns the way to unsubscribe. */
  subscribe(listener: (state: RunState) => void): () => void;
  /** Calls `listener` with every event, at once. Returns the way to stop. */
  listen(listener: (event: RunEvent) => void): () => void;
  /** The events after `seq` (default: all), past and to come; ends after `run-end`. */
  events(afterSeq?: number): AsyncIterable<RunEvent>;
  /** Every event so far. */
  log(): readonly RunEvent[];
  /** Ends the run as `stopped`, and aborts the model call and the tools that are under way. */
  stop(): void;
  /** The state after the end, whatever the end was. Never rejects. */
  readonly finished: Promise<RunState>;
};

/** A live view of `log`. `drive` is called once, when somebody first wants to see how the run goes on. */
export function createLiveRun(id: string, log: RunLog, drive: () => void, stop: () => void): LiveRun {
  let driven = false;
  let finished: Promise<RunState> | undefined;

  function go(): void {
    if (driven) return;
    driven = true;
    drive();
  }

  async function untilEnd(): Promise<RunState> {
    if (!log.ended) {
      await new Promise<void>((resolve) => {
        const unlisten = log.listen((event) => {
          if (event.type !== 'run-end') return;
          unlisten();
          resolve();
        });
      });
    }
    return log.getState();
  }

  return {
    id,
    get state() {
      return log.getState();
    },
    subscribe(listener) {
      go();
      return log.subscribe(listener);
    },
    listen(listener) {
      go();
      return log.listen(listener);
    },
    events(afterSeq) {
      go();
      return log.read(afterSeq);
    },
    log: () => log.events,
    stop,
    get finished() {
      go();
      return (finished ??= untilEnd());
    },
  };
}
