import type { DurableCommand } from '@cueline/core/durable';
import type { DurableStore, StoredCommand } from './store.ts';
import { withTimeout } from './with-timeout.ts';

/** How often a step reads its commands from the store, in milliseconds. */
const POLL_MS = 1_000;

/** How long one read waits for the store, in milliseconds. */
const READ_TIMEOUT_MS = 10_000;

/** The commands that users send to a run during a step in this process. */
export type StepCommands = {
  /** Aborts when the run is stopped. */
  readonly stop: AbortSignal;
  /** Sets the function that passes a command to the run. It resolves with false if the run does not accept the command now. */
  during(give: (command: DurableCommand) => Promise<boolean>): void;
  /** Reads the commands from the store now. */
  check(): void;
  /** Stops the run at once. */
  stopNow(): void;
  /** The names of the commands that the step has received. */
  names(): string[];
  /** Stops reading commands. */
  end(): void;
};

/** Reads the commands of a run once a second. `claimed` are those that the worker got when it took the run over. */
export function createStepCommands(
  store: Pick<DurableStore, 'commands'>,
  runId: string,
  claimed: readonly StoredCommand[],
): StepCommands {
  const stopping = new AbortController();
  const received = new Set(claimed.map(({ name }) => name));
  let give: ((command: DurableCommand) => Promise<boolean>) | undefined;
  let isReading = false;
  let isDue = false;
  let isOver = false;

  async function read(): Promise<void> {
    for (const { name, command } of await withTimeout(store.commands(runId), READ_TIMEOUT_MS)) {
      if (received.has(name)) continue;
      if (command.type === 'stop') stopping.abort();
      else if ((await give?.(command)) === true) received.add(name);
    }
  }

  function start(): void {
    if (isReading || isOver) return;
    isReading = true;
    isDue = false;
    void read()
      // the step itself reports that the store is unavailable
      .catch(() => {})
      .finally(() => {
        isReading = false;
        if (isDue) start();
      });
  }

  /** Reads now. If a read is in progress, reads once more after it, because that read may have missed a command. */
  function check(): void {
    isDue = true;
    start();
  }

  const timer = setInterval(start, POLL_MS);
  return {
    stop: stopping.signal,
    during: (given) => void (give = given),
    check,
    stopNow: () => stopping.abort(),
    names: () => [...received],
    end() {
      isOver = true;
      clearInterval(timer);
    },
  };
}
