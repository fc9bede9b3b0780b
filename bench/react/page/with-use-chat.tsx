import { useChat } from '@ai-sdk/react';
import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import { useEffect, useMemo, useRef, type ReactElement } from 'react';
import type { ContenderProps } from './contender.ts';
import type { Feed } from './feeds.ts';

export function WithUseChat(props: ContenderProps): ReactElement {
  return <Chat {...props} />;
}

export function WithThrottledUseChat(props: ContenderProps): ReactElement {
  return <Chat {...props} throttle={50} />;
}

function Chat({ feed, count, rendered, throttle }: ContenderProps & { throttle?: number }): ReactElement {
  const transport = useMemo(() => feedTransport(feed, count), [feed, count]);
  const { messages, sendMessage } = useChat({ transport, ...(throttle === undefined ? {} : { throttle }) });
  const started = useRef(false);
  rendered();
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    void sendMessage({ text: 'Say something.' });
  }, [sendMessage]);
  const last = messages.at(-1);
  const text =
    last?.role === 'assistant'
      ? last.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
      : '';
  return <p>{text}</p>;
}

/** An answer whose text comes from a feed, as a transport over a wire would give it. */
function feedTransport(feed: Feed, count: number): ChatTransport<UIMessage> {
  return {
    async sendMessages() {
      return new ReadableStream<UIMessageChunk>({
        start(controller) {
          controller.enqueue({ type: 'start', messageId: 'answer' });
          controller.enqueue({ type: 'start-step' });
          controller.enqueue({ type: 'text-start', id: 'text' });
          feed(
            count,
            (delta) => controller.enqueue({ type: 'text-delta', id: 'text', delta }),
            () => {
              controller.enqueue({ type: 'text-end', id: 'text' });
              controller.enqueue({ type: 'finish-step' });
              controller.enqueue({ type: 'finish' });
              controller.close();
            },
          );
        },
      });
    },
    async reconnectToStream() {
      return null;
    },
  };
}
