import { CuelineError } from '../base/errors.ts';

/** How long each phase of a model call may take, in milliseconds. `Infinity` turns a limit off. */
export type ModelTimeouts = {
  /** Until there is something of the answer: text, reasoning, a tool call. All tries together; 90 s by default. */
  firstChunkMs?: number | undefined;
  /** Between two parts of the answer. 60 s by default. */
  chunkMs?: number | undefined;
  /** For the whole call. Unlimited by default. */
  callMs?: number | undefined;
};

export type TimeoutPhase = 'first_chunk' | 'chunk' | 'call';

export const defaultTimeouts: Required<{ [Name in keyof ModelTimeouts]: number }> = {
  firstChunkMs: 90_000,
  chunkMs: 60_000,
  callMs: Infinity,
};

/** The time limits of one call, which begin when they are made. */
export type CallTimeouts = {
  /** There is something of the answer. */
  begun(): void;
  /** Another part of the answer has come. */
  heard(): void;
  /** The reader asks for no more at the moment, which is not the provider's silence. `heard` ends the pause. */
  pause(): void;
  stop(): void;
};

/** A timer that goes off so much later than planned was not the only thing that stood still. */
const LATE_MS = 5_000;
/** `setTimeout` takes no more. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Starts the limits of a call. `onTimeout` is called once, with the error of the limit that is exceeded. `firstChunk` is
 * what is left of that limit after earlier tries.
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
      onTimeout(timeoutError(phase, ms));
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
    first_chunk: `The model said nothing within ${time}.`,
    chunk: `The model fell silent for ${time} in the middle of its answer.`,
    call: `The model was not done with its answer after ${time}.`,
  }[phase];
  const option = { first_chunk: 'firstChunkMs', chunk: 'chunkMs', call: 'stepMs' }[phase];
  return new CuelineError('timeout', `${what} Try again, or allow it more time: options.timeout.${option}.`, {
    details: { phase, ms },
  });
}
