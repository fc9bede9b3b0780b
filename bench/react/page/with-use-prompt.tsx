import { definePrompt } from '@cueline/core';
import { usePrompt } from '@cueline/react';
import { useEffect, useMemo, type ReactElement } from 'react';
import { sayPlan } from './answers.ts';
import type { ContenderProps } from './contender.ts';
import { Answer, Earlier } from './earlier-messages.tsx';
import { feedExecutor } from './feed-executor.ts';

const answer = definePrompt('answer', () => {});

export function WithUsePrompt(props: ContenderProps): ReactElement {
  return <Prompt {...props} />;
}

export function WithThrottledUsePrompt(props: ContenderProps): ReactElement {
  return <Prompt {...props} throttle={50} />;
}

function Prompt({
  throttle,
  kind,
  feed,
  pieces,
  earlier,
  rendered,
}: ContenderProps & { throttle?: number }): ReactElement {
  const executor = useMemo(
    () => feedExecutor({ kind, feed, pieces, earlier }),
    [kind, feed, pieces, earlier],
  );
  const { start, text, messages, toolCalls } = usePrompt(answer, {
    executor,
    ...(throttle === undefined ? {} : { throttle }),
  });
  rendered();
  useEffect(() => void start(undefined, { key: 'bench' }), [start]);
  const call = toolCalls.at(-1);
  return (
    <>
      <Earlier messages={messages.slice(0, earlier.length)} />
      <Answer text={kind === 'text' ? text : sayPlan(call?.partialInput ?? call?.input)} />
    </>
  );
}
