import { useChat } from '@ai-sdk/react';
import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import { useEffect, useMemo, useRef, type ReactElement } from 'react';
import { sayPlan } from './answers.ts';
import type { ContenderProps } from './contender.ts';
import { Answer, Earlier } from './earlier-messages.tsx';

export function WithUseChat(props: ContenderProps): ReactElement {
  return <Chat {...props} />;
}

export function WithThrottledUseChat(props: ContenderProps): ReactElement {
  return <Chat {...props} throttle={50} />;
}

function Chat({
  throttle,
  earlier,
  rendered,
  ...answer
}: ContenderProps & { throttle?: number }): ReactElement {
  const { kind, feed, pieces } = answer;
  const transport = useMemo(() => feedTransport({ kind, feed, pieces }), [kind, feed, pieces]);
  const { messages, sendMessage } = useChat({
    transport,
    messages: earlier,
    ...(throttle === undefined ? {} : { throttle }),
  });
  const started = useRef(false);
  rendered();
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    void sendMessage({ text: 'Say something.' });
  }, [sendMessage]);
  const isAnswered = messages.length > earlier.length + 1;
  return (
    <>
      <Earlier messages={isAnswered ? messages.slice(0, -1) : messages} />
      <Answer text={isAnswered ? textOf(messages.at(-1)) : ''} />
    </>
  );
}

function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? [])
    .map((part) => (part.type === 'text' ? part.text : part.type === 'tool-plan' ? sayPlan(part.input) : ''))
    .join('');
}

/** A transport whose answer comes from a feed, as if it came from a server. */
function feedTransport({
  kind,
  feed,
  pieces,
}: Pick<ContenderProps, 'kind' | 'feed' | 'pieces'>): ChatTransport<UIMessage> {
  return {
    async sendMessages() {
      return new ReadableStream<UIMessageChunk>({
        start(controller) {
          const say = (...chunks: UIMessageChunk[]): void => {
            for (const chunk of chunks) controller.enqueue(chunk);
          };
          const isText = kind === 'text';
          say({ type: 'start', messageId: 'answer' }, { type: 'start-step' });
          say(
            isText
              ? { type: 'text-start', id: 'text' }
              : { type: 'tool-input-start', toolCallId: 'call', toolName: 'plan' },
          );
          feed(
            pieces,
            (piece) =>
              say(
                isText
                  ? { type: 'text-delta', id: 'text', delta: piece }
                  : { type: 'tool-input-delta', toolCallId: 'call', inputTextDelta: piece },
              ),
            () => {
              say(
                isText
                  ? { type: 'text-end', id: 'text' }
                  : {
                      type: 'tool-input-available',
                      toolCallId: 'call',
                      toolName: 'plan',
                      input: JSON.parse(pieces.join('')),
                    },
                { type: 'finish-step' },
                { type: 'finish' },
              );
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
