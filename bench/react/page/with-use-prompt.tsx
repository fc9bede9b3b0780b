import { definePrompt, LOG_VERSION, type Executor, type RunEvent, type RunEventBody } from '@cueline/core';
import { usePrompt } from '@cueline/react';
import { useEffect, useMemo, type ReactElement } from 'react';
import type { ContenderProps } from './contender.ts';
import type { Feed } from './feeds.ts';

const answer = definePrompt('answer', () => {});

export function WithUsePrompt({ feed, count, rendered }: ContenderProps): ReactElement {
  const executor = useMemo(() => feedExecutor(feed, count), [feed, count]);
  const { start, text } = usePrompt(answer, { executor });
  rendered();
  useEffect(() => void start(undefined, { key: 'bench' }), [start]);
  return <p>{text}</p>;
}

/** A run whose text comes from a feed; as an executor over a wire would give it. */
function feedExecutor(feed: Feed, count: number): Executor {
  return {
    async *start() {
      let queue: RunEvent[] = [];
      let seq = 0;
      let wake = (): void => {};
      const say = (body: RunEventBody): void => {
        queue.push({ seq, t: seq++, ...body });
        wake();
      };
      say({
        type: 'run-start',
        v: LOG_VERSION,
        runId: 'bench',
        model: 'bench:feed',
        messages: [],
        messageId: 'answer',
      });
      say({ type: 'step-start', step: 0, request: { keep: 0, messages: [] } });
      say({ type: 'text-start', id: 'text' });
      feed(
        count,
        (text) => say({ type: 'text-delta', id: 'text', text }),
        () => {
          say({ type: 'text-end', id: 'text' });
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
