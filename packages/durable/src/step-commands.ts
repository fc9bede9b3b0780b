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
  /**
   * Sets the function that passes a command to the run. It resolves with false if the run does not accept the command
   * now.
   */
  during(give: (command: DurableCommand) => Promise<boolean>): void;
  /** Reads the commands from the store now. */
  check(): void;
  /** Resolves once every command that was sent before is read. Rejects if the store does not answer. */
  checked(): Promise<void>;
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
  if (claimed.some(({ command }) => command.type === 'stop')) stopping.abort();
  let give: ((command: DurableCommand) => Promise<boolean>) | undefined;
  let reading: Promise<void> | undefined;
  let isDue = false;
  let isOver = false;

  async function read(): Promise<void> {
    for (const { name, command } of await withTimeout(store.commands(runId), READ_TIMEOUT_MS)) {
      if (received.has(name) || command.type === 'takeover') continue;
      if (command.type === 'stop') stopping.abort();
      else if ((await give?.(command)) === true) received.add(name);
    }
  }

  /** Starts a read. There is one at a time, so that the run gets each command once. */
  function readNow(): Promise<void> {
    isDue = false;
    const result = read();
    reading = result
      .catch(() => {})
      .finally(() => {
        reading = undefined;
        if (isDue) start();
      });
    return result;
  }

  function start(): void {
    if (reading !== undefined || isOver) return;
    // the step itself reports that the store is unavailable
    readNow().catch(() => {});
  }

  /** Reads now. If a read is in progress, reads once more after it, because that read may have missed a command. */
  function check(): void {
    isDue = true;
    start();
  }

  async function checked(): Promise<void> {
    if (reading === undefined) return readNow();
    // it may have missed a command
    await reading;
    return checked();
  }

  const timer = setInterval(start, POLL_MS);
  return {
    stop: stopping.signal,
    during: (given) => void (give = given),
    check,
    checked,
    stopNow: () => stopping.abort(),
    names: () => [...received],
    end() {
      isOver = true;
      clearInterval(timer);
    },
  };
}
