import { createWatchdog, type Watchdog } from '../watchdog.ts';

/** What the page tells the relay itself. Texts go through to the worker. */
export type RelayCommand =
  /** From now on the worker must answer: its script is about to run. */
  | { type: 'watch' }
  /** The page asks whether frame and worker are still there; `alive` is the answer. */
  | { type: 'check' }
  /** The page has read this many messages. */
  | { type: 'read'; count: number }
  | { type: 'close' };

/** Why the relay ended the worker. */
export type RelayEnd = 'silent' | 'flood' | 'too-large' | 'too-much' | 'crashed';

/** What the relay itself tells the page. Texts come from the worker, which cannot send anything else. */
export type RelayNotice =
  | { type: 'alive' }
  /** The last word. `detail` is the browser's message where the worker failed to start. */
  | { type: 'ended'; reason: RelayEnd; detail?: string };

export type RelayLimits = {
  messageLength: number;
  totalLength: number;
  unreadMessages: number;
  silence: number;
};

/** One of the two sides that the relay stands between. */
export type Side = {
  send(message: unknown): void;
  listen(listener: (message: unknown) => void): void;
};

export type WorkerSide = Side & {
  /** Calls `listener` when the worker fails outside of any script. */
  onFailure(listener: (message: string) => void): void;
  terminate(): void;
};

// The page gets no more than this many messages that it has not answered; the rest wait here, in the frame's process.
const inFlightLimit = 64;
const pingEvery = 500;
// Making a message of this length takes a while, so it is a sign of life; the total allows for few of them.
const longMessage = 100_000;

/**
 * To the worker go texts, and numbers: 0 asks for a sign of life, which is any number; more says how many messages
 * the page has read.
 */
const pingMessage = 0;

/**
 * Stands between page and worker, in the frame: hands texts through, slows a flood down before it reaches the page,
 * asks the worker for signs of life, and ends it when it floods, falls silent, says too much, or sends what is no text.
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
    // What came before silence is the run's log; what came with a flood is the flood.
    if (reason === 'flood') waiting.length = 0;
    waiting.push({
      type: 'ended',
      reason,
      ...(detail === undefined ? {} : { detail }),
    } satisfies RelayNotice);
    drain();
  };

  worker.listen((data) => {
    // Messages that were under way when the worker was ended.
    if (ended) return;
    if (typeof data === 'number' && unanswered > 0) {
      unanswered -= 1;
      watchdog?.heard();
      if (checks > 0) {
        checks -= 1;
        page.send({ type: 'alive' } satisfies RelayNotice);
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
  // An error that reaches this far did not come from a script: the runtime itself could not start.
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
