import { definePrompt, type Executor, type RunEvent } from '@cueline/core';
import { PromptProvider, usePrompt, type PromptProviderProps } from '@cueline/react';
import type { ReactElement } from 'react';

const greet = definePrompt('greet', (prompt) => {
  prompt.$`Greet Ada.`;
});

/** A log that breaks off in the middle of an answer. */
export const unfinishedLog: RunEvent[] = [
  {
    seq: 0,
    t: 0,
    type: 'run-start',
    v: 2,
    runId: 'far',
    name: 'greet',
    model: 'test:far',
    messages: [],
    messageId: 'm',
  },
  { seq: 1, t: 1, type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
  { seq: 2, t: 2, type: 'text-start', id: 't' },
  { seq: 3, t: 3, type: 'text-delta', id: 't', text: 'Hello' },
];

const restOfLog: RunEvent[] = [
  { seq: 4, t: 4, type: 'text-delta', id: 't', text: ', Ada.' },
  { seq: 5, t: 5, type: 'text-end', id: 't' },
  { seq: 6, t: 6, type: 'run-end', outcome: 'done', finishReason: 'stop' },
];

export const finishedLog: RunEvent[] = [...unfinishedLog, ...restOfLog];

/** Where the run of {@link unfinishedLog} continues, and with what each attachment was asked for. */
export function farExecutor(): { executor: Executor; attached: unknown[] } {
  const attached: unknown[] = [];
  return {
    attached,
    executor: {
      start: () => {
        throw new Error('nothing is to be started');
      },
      async *attach(runId, afterSeq) {
        attached.push([runId, afterSeq]);
        yield* restOfLog;
      },
    },
  };
}

/** What a server makes of {@link ServerPage} with each of the two logs. */
export const serverHtml = {
  unfinished: '<p>running: Hello</p>',
  finished: '<p>done: Hello, Ada.</p>',
};

export type ServerPageProps = Omit<PromptProviderProps, 'children'> & {
  initialLog: readonly RunEvent[];
  id?: string;
  seen?: (run: ReturnType<typeof useGreeting>) => void;
};

function useGreeting(initialLog: readonly RunEvent[], id: string | undefined) {
  return usePrompt(greet, { initialLog, id });
}

function Answer({ initialLog, id, seen }: ServerPageProps): ReactElement {
  const run = useGreeting(initialLog, id);
  seen?.(run);
  const how = run.status === 'error' ? run.error.code : run.status;
  return <p>{`${how}: ${run.text}`}</p>;
}

/** A page with a run of which something has happened on the server. */
export function ServerPage({ initialLog, id, seen, ...provided }: ServerPageProps): ReactElement {
  return (
    <PromptProvider {...provided}>
      <Answer
        initialLog={initialLog}
        {...(id === undefined ? {} : { id })}
        {...(seen === undefined ? {} : { seen })}
      />
    </PromptProvider>
  );
}
