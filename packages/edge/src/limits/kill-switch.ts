import { withTimeout } from '../route/runs/with-timeout.ts';

/** Refuses all new calls of the routes and proxies that it is given to, at once, in this process. */
export type KillSwitch = {
  readonly isOn: boolean;
  /** Refuses every new run and model call from now on. `stopRuns` also ends those under way. */
  turnOn(options?: { stopRuns?: boolean }): void;
  /** Lets calls begin again. */
  turnOff(): void;
  /** Calls back whenever calls under way are to end. Returns what takes the listener off. */
  onStop(listener: () => void): () => void;
};

/**
 * A switch or a function that is asked before each call, such as for a flag that all instances share: true refuses it.
 * Where the function throws or takes longer than ten seconds, the call is refused.
 */
export type KillSwitchOption = KillSwitch | (() => boolean | Promise<boolean>);

/**
 * A switch that an operator turns on where calls have to end at once: a leaked key, a bill that grows.
 *
 * @example
 * const killSwitch = createKillSwitch();
 * const route = createPromptRoute(greet, { killSwitch, … });
 * killSwitch.turnOn({ stopRuns: true });
 */
export function createKillSwitch(): KillSwitch {
  const listeners = new Set<() => void>();
  let on = false;
  return {
    get isOn() {
      return on;
    },
    turnOn({ stopRuns = false } = {}) {
      on = true;
      if (stopRuns) for (const listener of listeners) listener();
    },
    turnOff() {
      on = false;
    },
    onStop(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Why calls are refused, and runs ended. */
export const switchedOff = 'This server makes no model calls at the moment. Try again later.';

/** Whether calls are refused at the moment; `onFailure` is told why that could not be found out. */
export async function isSwitchedOff(
  option: KillSwitchOption | undefined,
  onFailure: (error: unknown) => void,
): Promise<boolean> {
  if (option === undefined) return false;
  if (typeof option !== 'function') return option.isOn;
  try {
    return await withTimeout((async () => option())());
  } catch (error) {
    onFailure(error);
    return true;
  }
}

/** Calls back where calls under way are to end. Returns what takes the listener off. */
export function onSwitchStop(option: KillSwitchOption | undefined, listener: () => void): () => void {
  return option === undefined || typeof option === 'function' ? () => {} : option.onStop(listener);
}
