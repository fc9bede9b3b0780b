import { LOG_VERSION, type Executor, type RunEvent, type RunEventBody, type RunRequest } from '@cueline/core';

/** An executor whose events the test emits one by one. */
export type ManualExecutor = Executor & {
  /** What it was asked to run, in order. */
  readonly requests: readonly RunRequest[];
  /** Lets the latest run go on: one event each. */
  say(...bodies: RunEventBody[]): void;
  /** Lets the latest run write text. */
  write(text: string): void;
  finish(): void;
};

/**
 * Creates an executor whose runs emit only their start until the test continues. They end as `stopped` when their
 * signal aborts.
 */
export function manualExecutor(): ManualExecutor {
  const requests: RunRequest[] = [];
  let queue: RunEvent[] = [];
  let seq = 0;
  let wake = (): void => {};

  function say(...bodies: RunEventBody[]): void {
    for (const body of bodies) queue.push({ seq, t: seq++, ...body });
    wake();
  }

  return {
    requests,
    say,
    write: (text) => say({ type: 'text-delta', id: 'text', text }),
    finish: () =>
      say({ type: 'text-end', id: 'text' }, { type: 'run-end', outcome: 'done', finishReason: 'stop' }),
    async *start(request, signal) {
      requests.push(request as RunRequest);
      const mine: RunEvent[] = (queue = []);
      seq = 0;
      const number = requests.length;
      say(
        {
          type: 'run-start',
          v: LOG_VERSION,
          runId: `run-${number}`,
          model: 'test:manual',
          messages: [...(request.messages ?? [])],
          messageId: `answer-${number}`,
        },
        { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
        { type: 'text-start', id: 'text' },
      );
      signal.addEventListener('abort', () => {
        if (queue === mine) say({ type: 'run-end', outcome: 'stopped' });
        else mine.push({ seq: 1_000, t: 1_000, type: 'run-end', outcome: 'stopped' });
        wake();
      });
      while (true) {
        const event = mine.shift();
        if (event === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else yield event;
        if (event?.type === 'run-end') return;
      }
    },
  };
}
