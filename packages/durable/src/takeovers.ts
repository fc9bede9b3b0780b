import { CuelineError, type RunEvent } from '@cueline/core';
import type { ClaimedLog } from './log-cache.ts';
import type { DurableStore, StoredCommand } from './store.ts';
import { withTimeout } from './with-timeout.ts';

/**
 * How many workers in a row may take a run over and end before it gets further. One more than a tool call may start:
 * such a call then ends with an error, and its run continues.
 */
const MAX_TAKEOVERS = 6;

/**
 * How many workers in a row may end while they wait for the model's answer. More than {@link MAX_TAKEOVERS}, so that a
 * run with long answers outlives another run that ends the processes of both.
 */
const MAX_CUT_OFF_ANSWERS = 12;

/**
 * How long a marked run may keep the next one waiting, in milliseconds, for example if its prompt function never
 * returns.
 */
const TURN_MS = 10_000;

/** What gets a run further: what its limits count. Other events may come again with each takeover, without end. */
const progressTypes: ReadonlySet<RunEvent['type']> = new Set(['step-start', 'tool-end', 'tool-error']);
/** What comes only once. The start of a step comes again with each call of the model that is cut off. */
const resultTypes: ReadonlySet<RunEvent['type']> = new Set(['step-end', 'tool-end', 'tool-error']);

/** A run that this worker has taken over from another one. */
export type Takeover = {
  /** Tells the next worker of this one. */
  readonly mark: StoredCommand;
  /** The error that ends the run if too many workers have ended. */
  readonly error: CuelineError | undefined;
  /**
   * Stores the mark. Must be awaited before any code of the prompt is called. Does not wait for other runs once
   * `signal` aborts.
   */
  begin(signal: AbortSignal): Promise<void>;
  /** Must be called with events once they are stored. */
  stored(events: readonly RunEvent[]): void;
  /** Removes the mark after a failure, unless another worker has the run by now. Does not reject. */
  withdraw(): Promise<void>;
  /** Must be called once the step is over. */
  over(): void;
};

/**
 * Counts the workers that end while they advance a run: each marks the run that it takes over, and removes the mark
 * after the step, unless its process has ended by then.
 *
 * The end of a process marks all of its runs, and not all of them have caused it. So runs that are already marked
 * begin one after the other: each waits until the one before gets further.
 */
export function createTakeovers(
  store: Pick<DurableStore, 'append' | 'forget' | 'send'>,
): (runId: string, claimed: ClaimedLog) => Takeover {
  /** Resolves once every marked run so far has got further. */
  let turns: Promise<unknown> = Promise.resolve();

  /** Waits for a turn, and returns the function that ends it. */
  async function takeTurn(signal: AbortSignal): Promise<() => void> {
    let end = (): void => {};
    const over = new Promise<void>((resolve) => (end = resolve));
    const before = turns;
    turns = before.then(async () => withTimeout(over, TURN_MS)).catch(() => {});
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    if (!signal.aborted) await Promise.race([before, aborted]);
    return end;
  }

  return (runId, { epoch, start, log, commands }) => {
    const after = log.events.findLast(isProgress)?.seq ?? -1;
    const result = log.events.findLast(({ type }) => resultTypes.has(type))?.seq ?? -1;
    const marks = commands.flatMap(({ command }) => (command.type === 'takeover' ? [command.after] : []));
    const earlier = marks.filter((seq) => seq === after);
    const cutOff = marks.filter((seq) => seq >= result);
    const mark = { name: `takeover ${epoch}`, command: { type: 'takeover', after } } as const;
    let endTurn = (): void => {};
    return {
      mark,
      error:
        earlier.length >= MAX_TAKEOVERS
          ? takeoversError(runId, start.prompt)
          : cutOff.length >= MAX_CUT_OFF_ANSWERS
            ? answersError(runId, start.prompt)
            : undefined,
      async begin(signal) {
        if (earlier.length > 0) endTurn = await takeTurn(signal);
        await store.send(runId, mark);
      },
      stored(events) {
        if (events.some(isProgress)) endTurn();
      },
      async withdraw() {
        // a store that does not answer now is why the step has failed
        const isOwn = await store.append(runId, epoch, []).catch(() => true);
        if (isOwn) await store.forget(runId, [mark.name]).catch(() => {});
      },
      over: () => endTurn(),
    };
  };
}

function isProgress({ type }: RunEvent): boolean {
  return progressTypes.has(type);
}

function takeoversError(runId: string, prompt: string): CuelineError {
  return new CuelineError(
    'interrupted',
    `Run ${runId} was ended: ${MAX_TAKEOVERS} workers in a row took it over, and each of them ended, or lost the run, before the run got further. The prompt function of "${prompt}", a hook, prepareStep or a schema probably ends the process: it needs too much memory, calls process.exit() or blocks the event loop. Find out why the workers ended, repair that code, and start the run again.`,
  );
}

function answersError(runId: string, prompt: string): CuelineError {
  return new CuelineError(
    'interrupted',
    `Run ${runId} was ended: ${MAX_CUT_OFF_ANSWERS} workers in a row took it over, and each of them ended, or lost the run, while the model answered. A schema of "${prompt}" or code that reads the answer probably ends the process: it needs too much memory, calls process.exit() or blocks the event loop. Find out why the workers ended, repair that code, and start the run again.`,
  );
}
