import { CuelineError } from '@cueline/core';
import { withTimeout } from '../base/with-timeout.ts';

/** Refuses all new calls of the routes and proxies that have this switch, at once, in this process. */
export type KillSwitch = {
  readonly isOn: boolean;
  /** Refuses every new run and model call from now on. `stopRuns` also ends those in progress. */
  turnOn(options?: { stopRuns?: boolean }): void;
  /** Allows new calls again. */
  turnOff(): void;
  /** Calls `listener` when calls in progress must end. Returns a function that removes the listener. */
  onStop(listener: () => void): () => void;
};

/**
 * A switch, or a function that is called before each call, for example for a flag that all instances share: true
 * refuses the call. A proxy asks twice: before it reads the body, and before it calls the provider. If the function
 * throws or takes longer than ten seconds, the call is refused.
 */
export type KillSwitchOption = KillSwitch | (() => boolean | Promise<boolean>);

/**
 * Creates a switch for an operator who has to end calls at once, because of a leaked key or a growing bill.
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

/**
 * Checks a switch of an operator, who would notice a wrong one only in an emergency.
 * @throws CuelineError `invalid_options`
 */
export function checkKillSwitch(option: KillSwitchOption | undefined, where: string): void {
  if (option === undefined || typeof option === 'function') return;
  // a caller may ignore the types
  const { isOn, onStop } = (option ?? {}) as { [Field in keyof KillSwitch]?: unknown };
  if (typeof isOn === 'boolean' && typeof onStop === 'function') return;
  throw new CuelineError(
    'invalid_options',
    `${where}: killSwitch is not a switch. Pass createKillSwitch(), or a function that returns true while calls are refused.`,
  );
}

/** Why calls are refused and runs ended. */
export const switchedOff = 'This server makes no model calls at the moment. Try again later.';

/** Returns whether calls are refused at the moment. Calls `onFailure` if that cannot be determined. */
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

/** Calls `listener` when calls in progress must end. Returns a function that removes the listener. */
export function onSwitchStop(option: KillSwitchOption | undefined, listener: () => void): () => void {
  return option === undefined || typeof option === 'function' ? () => {} : option.onStop(listener);
}
