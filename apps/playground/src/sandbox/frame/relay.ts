import { createWatchdog, type Watchdog } from '../watchdog.ts';

/** Commands of the page to the relay itself. Strings are passed on to the worker. */
export type RelayCommand =
  /** From now on the worker must answer: its script starts. */
  | { type: 'watch' }
  /** The page asks whether frame and worker are alive; `answers` is the answer. */
  | { type: 'check' }
  /** The page has read this many messages. */
  | { type: 'read'; count: number }
  | { type: 'close' };

/** Why the relay ended the worker. */
export type RelayEnd = 'silent' | 'flood' | 'too-large' | 'too-much' | 'crashed';

/** Messages of the relay itself to the page. Strings come from the worker, which can send nothing else. */
export type RelayNotice =
  /** The relay itself is alive. */
  | { type: 'alive' }
  /** The worker has answered a `check`. */
  | { type: 'answers' }
  /** The last message. `detail` is the browser's message if the worker failed to start. */
  | { type: 'ended'; reason: RelayEnd; detail?: string };

export type RelayLimits = {
  messageLength: number;
  totalLength: number;
  unreadMessages: number;
  silence: number;
};

/** One of the two sides of the relay. */
export type Side = {
  send(message: unknown): void;
  listen(listener: (message: unknown) => void): void;
};

export type WorkerSide = Side & {
  /** Calls `listener` when the worker fails outside of any script. */
  onFailure(listener: (message: string) => void): void;
  terminate(): void;
};

// The page gets at most this many unanswered messages; the others wait here, in the frame's process.
const inFlightLimit = 64;
const pingEvery = 500;
// Making a message of this length takes a while, so it proves that the worker is alive; the total allows only a few.
const longMessage = 100_000;

/**
 * The worker receives strings and numbers. 0 asks for a sign of life, which may be any number. A higher number says how
 * many messages the page has read.
 */
const pingMessage = 0;

/**
 * Connects page and worker, in the frame: passes strings on, slows a flood down before it reaches the page, asks the
 * worker for signs of life, and ends a worker that floods, falls silent, sends too much, or sends something other than
 * a string.
 */
export function startRelay(page: Side, worker: WorkerSide, limits: RelayLimits): void {
  const waiting: unknown[] = [];
  let inFlight = 0;
  let length = 0;
  let ended = false;
  let unanswered = 0;
  let checks = 0;
  let watchdog: Watchdog | undefined;

  const drain = (): void => {
    while (inFlight < inFlightLimit && waiting.length > 0) {
      page.send(waiting.shift());
      inFlight += 1;
    }
  };
  const close = (): void => {
    ended = true;
    watchdog?.stop();
    worker.terminate();
  };
  const end = (reason: RelayEnd, detail?: string): void => {
    if (ended) return;
    close();
    // Messages before a silence are part of the run's log; messages of a flood are dropped.
    if (reason === 'flood') waiting.length = 0;
    waiting.push({
      type: 'ended',
      reason,
      ...(detail === undefined ? {} : { detail }),
    } satisfies RelayNotice);
    drain();
  };

  worker.listen((data) => {
    // Messages that were on their way when the worker was ended.
    if (ended) return;
    if (typeof data === 'number' && unanswered > 0) {
      unanswered -= 1;
      watchdog?.heard();
      if (checks > 0) {
        checks -= 1;
        page.send({ type: 'answers' } satisfies RelayNotice);
      }
    } else if (typeof data !== 'string' || data.length > limits.messageLength) {
      end('too-large');
    } else if (waiting.length + inFlight >= limits.unreadMessages) {
      end('flood');
    } else if ((length += data.length) > limits.totalLength) {
      end('too-much');
    } else {
      if (data.length >= longMessage) watchdog?.heard();
      waiting.push(data);
      drain();
    }
  });
  // An error here does not come from a script: the runtime itself could not start.
  worker.onFailure((message) => end('crashed', message));

  page.listen((data) => {
    if (typeof data === 'string') {
      if (!ended) worker.send(data);
      return;
    }
    const command = data as RelayCommand;
    if (command.type === 'read') {
      inFlight -= command.count;
      drain();
      if (!ended) worker.send(command.count);
    } else if (command.type === 'check') {
      if (ended) return;
      checks += 1;
      unanswered += 1;
      worker.send(pingMessage);
    } else if (command.type === 'watch') {
      watchdog ??= createWatchdog({
        every: pingEvery,
        patience: limits.silence,
        onTick: () => {
          unanswered += 1;
          worker.send(pingMessage);
          page.send({ type: 'alive' } satisfies RelayNotice);
        },
        onSilent: () => end('silent'),
      });
    } else {
      close();
    }
  });
}
