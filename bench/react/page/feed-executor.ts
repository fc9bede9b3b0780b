import { LOG_VERSION, type Executor, type RunEvent, type RunEventBody } from '@cueline/core';
import type { ContenderProps } from './contender.ts';

/** Creates an executor whose runs take their answer from a feed, as if it came from a server. */
export function feedExecutor({
  kind,
  feed,
  pieces,
  earlier,
}: Pick<ContenderProps, 'kind' | 'feed' | 'pieces' | 'earlier'>): Executor {
  let runs = 0;
  return {
    async *start() {
      const runId = `run-${runs++}`;
      let queue: RunEvent[] = [];
      let seq = 0;
      let wake = (): void => {};
      const say = (body: RunEventBody): void => {
        queue.push({ seq, t: seq++, ...body });
        wake();
      };
      const isText = kind === 'text';
      const call = { toolCallId: 'call', toolName: 'plan' };
      say({
        type: 'run-start',
        v: LOG_VERSION,
        runId,
        model: 'bench:feed',
        messages: earlier,
        turns: earlier.length,
        messageId: `${runId}-answer`,
      });
      say({ type: 'step-start', step: 0, request: { keep: 0, messages: [] } });
      say(isText ? { type: 'text-start', id: 'text' } : { type: 'tool-input-start', ...call });
      feed(
        pieces,
        (piece) =>
          say(
            isText
              ? { type: 'text-delta', id: 'text', text: piece }
              : { type: 'tool-input-delta', toolCallId: 'call', delta: piece },
          ),
        () => {
          say(
            isText
              ? { type: 'text-end', id: 'text' }
              : { type: 'tool-input-end', ...call, input: JSON.parse(pieces.join('')) },
          );
          say({ type: 'run-end', outcome: 'done', finishReason: 'stop' });
        },
      );
      while (true) {
        const events = queue;
        queue = [];
        for (const event of events) yield event;
        if (events.at(-1)?.type === 'run-end') return;
        if (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
