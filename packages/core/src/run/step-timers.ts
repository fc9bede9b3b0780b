import { CuelineError } from '../errors.ts';

/** How long each phase of a model's call may take, in milliseconds. `Infinity` turns a limit off. */
export type StepTimeouts = {
  /** Until the provider takes the request. 30 s by default. */
  connectMs?: number | undefined;
  /** From then until its answer begins. 60 s by default. */
  firstTokenMs?: number | undefined;
  /** Between two parts of the answer. 60 s by default. */
  idleMs?: number | undefined;
  /** All of it. 5 minutes by default. */
  callMs?: number | undefined;
};

export type TimeoutPhase = 'connect' | 'first_token' | 'idle' | 'call';

/** The time limits of one call, from its making on. */
export type StepTimers = {
  /** The provider has taken the request. */
  connected(): void;
  /** The answer has begun. */
  begun(): void;
  /** Something came. */
  heard(): void;
  /** Nobody asks for more at the moment, which is not the provider's silence. `heard` ends it. */
  pause(): void;
  stop(): void;
};

/** A timer that goes off so much later than planned was not the only thing that stood still. */
const LATE_MS = 5_000;
/** `setTimeout` takes no more. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Starts the limits of a call. `onTimeout` is told once of the one that is exceeded, as the error to end the call with. */
export function createStepTimers(
  timeouts: StepTimeouts,
  now: () => number,
  onTimeout: (error: CuelineError) => void,
): StepTimers {
  const start = (phase: TimeoutPhase, ms: number): TimeLimit =>
    createTimeLimit(ms, now, () => {
      stop();
      onTimeout(timeoutError(phase, ms));
    });
  const { connectMs = 30_000, firstTokenMs = 60_000, idleMs = 60_000, callMs = 300_000 } = timeouts;
  const whole = start('call', callMs);
  let current = start('connect', connectMs);

  function next(phase: TimeoutPhase, ms: number): void {
    current.stop();
    current = start(phase, ms);
  }

  function stop(): void {
    current.stop();
    whole.stop();
  }

  return {
    connected: () => next('first_token', firstTokenMs),
    begun: () => next('idle', idleMs),
    heard() {
      current.restart();
      whole.forget();
    },
    pause: () => current.pause(),
    stop,
  };
}

type TimeLimit = {
  /** Its time begins anew. Costs a look at the clock and no timer, so that each part of an answer may do it. */
  restart(): void;
  pause(): void;
  /** A timer that is late may be so once more. */
  forget(): void;
  stop(): void;
};

/**
 * A frozen page or a machine that slept is no timeout: what goes off far too late has its time once more. Only once as
 * long as nothing comes, since pages in the background have all of their timers late.
 */
function createTimeLimit(ms: number, now: () => number, onEnd: () => void): TimeLimit {
  let since = now();
  let due = since;
  let paused = false;
  let forgiven = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function arm(restMs: number): void {
    due = now() + restMs;
    timer = restMs > MAX_TIMER_MS ? undefined : setTimeout(check, restMs);
  }

  function check(): void {
    const time = now();
    if (time - due > LATE_MS && !forgiven) {
      forgiven = true;
      since = time;
    }
    if (paused) since = time;
    const restMs = since + ms - time;
    if (restMs > 0) arm(restMs);
    else onEnd();
  }

  arm(ms);
  return {
    restart() {
      since = now();
      paused = false;
      forgiven = false;
    },
    pause: () => (paused = true),
    forget: () => (forgiven = false),
    stop: () => clearTimeout(timer),
  };
}

function timeoutError(phase: TimeoutPhase, ms: number): CuelineError {
  const time = `${ms / 1_000} s`;
  const what = {
    connect: `The model's provider did not take the request within ${time}.`,
    first_token: `The model's provider took the request, but no answer began within ${time}.`,
    idle: `The model fell silent for ${time} in the middle of its answer.`,
    call: `The model was not done with its answer after ${time}.`,
  }[phase];
  return new CuelineError('timeout', `${what} Try again, or allow it more time.`, { details: { phase, ms } });
}
