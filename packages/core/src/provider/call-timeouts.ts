import { CuelineError } from '../base/errors.ts';
import { startTimer } from '../base/timer.ts';

/** The time limits of each phase of a model call, in milliseconds. `Infinity` turns a limit off. */
export type ModelTimeouts = {
  /** Until the first part of the answer: text, reasoning, a tool call. All attempts together; 90 s by default. */
  firstChunkMs?: number | undefined;
  /** Between two parts of the answer. 60 s by default. */
  chunkMs?: number | undefined;
  /** For the whole call. Unlimited by default. */
  callMs?: number | undefined;
  /** The setting that the error of an exceeded limit names. Default: that of `options.timeout`. */
  setting?: string | undefined;
};

export type TimeoutPhase = 'first_chunk' | 'chunk' | 'call';

export const defaultTimeouts: Required<{ [Name in keyof Omit<ModelTimeouts, 'setting'>]: number }> = {
  firstChunkMs: 90_000,
  chunkMs: 60_000,
  callMs: Infinity,
};

/** The time limits of one call, which run from their creation. */
export type CallTimeouts = {
  /** The answer has started. */
  begun(): void;
  /** Another part of the answer has arrived. */
  partReceived(): void;
  /**
   * The reader does not read at the moment, which does not count as the provider's silence. `partReceived` ends the
   * pause.
   */
  pause(): void;
  stop(): void;
};

/** If a timer fires this many milliseconds late, the whole process was suspended. */
const LATE_MS = 5_000;

/**
 * Starts the limits of a call. Calls `onTimeout` once, with the error of the exceeded limit. `firstChunkLeftMs` is
 * what earlier attempts have left of that limit.
 */
export function startCallTimeouts(
  timeouts: ModelTimeouts,
  now: () => number,
  onTimeout: (error: CuelineError) => void,
  firstChunkLeftMs?: number,
): CallTimeouts {
  const {
    firstChunkMs = defaultTimeouts.firstChunkMs,
    chunkMs = defaultTimeouts.chunkMs,
    callMs = defaultTimeouts.callMs,
  } = timeouts;
  const start = (phase: TimeoutPhase, ms: number, leftMs: number = ms): TimeLimit =>
    createTimeLimit(leftMs, now, () => {
      stop();
      onTimeout(timeoutError(phase, ms, timeouts.setting));
    });
  const whole = start('call', callMs);
  let current = start('first_chunk', firstChunkMs, firstChunkLeftMs);

  function stop(): void {
    current.stop();
    whole.stop();
  }

  return {
    begun() {
      current.stop();
      current = start('chunk', chunkMs);
    },
    partReceived() {
      current.restart();
      whole.forget();
    },
    pause: () => current.pause(),
    stop,
  };
}

type TimeLimit = {
  /**
   * Restarts the time. Only reads the clock and sets no timer, so that it can be called for every part of an
   * answer.
   */
  restart(): void;
  pause(): void;
  /** Allows another late timer. */
  forget(): void;
  stop(): void;
};

/**
 * Creates a limit that a frozen page or a sleeping machine does not exceed: a timer that fires far too late gets its
 * time once more. Only once as long as nothing arrives, because all timers of pages in the background are late.
 */
function createTimeLimit(ms: number, now: () => number, onEnd: () => void): TimeLimit {
  let since = now();
  let due = since;
  let paused = false;
  let forgiven = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function arm(restMs: number): void {
    due = now() + restMs;
    timer = startTimer(check, restMs);
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

function timeoutError(phase: TimeoutPhase, ms: number, setting: string | undefined): CuelineError {
  const time = `${ms / 1_000} s`;
  const what = {
    first_chunk: `The model sent nothing within ${time}.`,
    chunk: `The model sent nothing for ${time} in the middle of its answer.`,
    call: `The model did not finish its answer within ${time}.`,
  }[phase];
  const option = { first_chunk: 'firstChunkMs', chunk: 'chunkMs', call: 'stepMs' }[phase];
  const change = setting ?? `options.timeout.${option}`;
  return new CuelineError('timeout', `${what} Try again, or allow it more time: ${change}.`, {
    details: { phase, ms },
  });
}
