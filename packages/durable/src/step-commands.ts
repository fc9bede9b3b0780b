import type { DurableCommand } from '@cueline/core/durable';
import type { DurableStore, StoredCommand } from './store.ts';
import { withTimeout } from './with-timeout.ts';

/** How often a step under way looks for commands in the store, in milliseconds. */
const LOOK_MS = 1_000;

/** How long a look waits for the store, in milliseconds. */
const PATIENCE_MS = 10_000;

/** What users send to a run while a step of it is under way in this process. */
export type StepCommands = {
  /** Aborts when the run is stopped. */
  readonly stop: AbortSignal;
  /** Sets the function that gives the run a command. It resolves with false if the run does not take it now. */
  during(give: (command: DurableCommand) => Promise<boolean>): void;
  /** Looks for commands in the store now. */
  look(): void;
  /** Stops the run at once. */
  stopNow(): void;
  /** The names of the commands that the step has got. */
  names(): string[];
  /** Stops looking. */
  end(): void;
};

/** Looks for commands once a second. `claimed` are those that the step has got with its run. */
export function createStepCommands(
  store: Pick<DurableStore, 'commands'>,
  runId: string,
  claimed: readonly StoredCommand[],
): StepCommands {
  const stopping = new AbortController();
  const got = new Set(claimed.map(({ name }) => name));
  let give: ((command: DurableCommand) => Promise<boolean>) | undefined;
  let isLooking = false;
  let isDue = false;
  let isOver = false;

  async function read(): Promise<void> {
    for (const { name, command } of await withTimeout(store.commands(runId), PATIENCE_MS)) {
      if (got.has(name)) continue;
      if (command.type === 'stop') stopping.abort();
      else if ((await give?.(command)) === true) got.add(name);
    }
  }

  function start(): void {
    if (isLooking || isOver) return;
    isLooking = true;
    isDue = false;
    void read()
      // the store is away, which the step itself will notice
      .catch(() => {})
      .finally(() => {
        isLooking = false;
        if (isDue) start();
      });
  }

  /** Looks now, and once more if a look is under way, which may have read already. */
  function look(): void {
    isDue = true;
    start();
  }

  const looks = setInterval(start, LOOK_MS);
  return {
    stop: stopping.signal,
    during: (given) => void (give = given),
    look,
    stopNow: () => stopping.abort(),
    names: () => [...got],
    end() {
      isOver = true;
      clearInterval(looks);
    },
  };
}
