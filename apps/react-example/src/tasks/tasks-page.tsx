import { usePrompt, useRun, type AnyRun } from '@cueline/react';
import { useState } from 'react';
import { StickToBottom } from 'use-stick-to-bottom';
import { Message } from '../chat/message.tsx';
import { prepareArrival } from '../remote-prompts.ts';
import { Button } from '../ui/button.tsx';
import { Restored } from '../ui/restored.tsx';
import { RunStatus } from '../ui/run-status.tsx';
import { TaskBoard } from './task-board.tsx';
import { TaskPlan } from './task-plan.tsx';

/** A task list that its user edits while the model works on it. This component renders only for the status. */
export function TasksPage({ id }: { id: string }) {
  const { status, start, run } = usePrompt(prepareArrival, { id, watch: ['status'] });
  const [isPlanning, setIsPlanning] = useState(false);
  const isBusy = status === 'running' || status === 'waiting';
  return (
    <Restored run={run}>
      {status === 'idle' || isPlanning ? (
        <TaskPlan
          onStart={(titles) => {
            setIsPlanning(false);
            void start({ titles });
          }}
        />
      ) : (
        <div className="grid h-full grid-cols-[minmax(0,1.3fr)_minmax(0,1fr)] narrow:block narrow:overflow-auto">
          <section aria-labelledby="tasks" className="scroll px-8 py-5 narrow:overflow-visible narrow:p-3">
            <div className="flex min-h-11 items-center justify-between gap-3">
              <h2 id="tasks" className="text-xl font-semibold">
                Before the guests come
              </h2>
              {!isBusy && <Button onClick={() => setIsPlanning(true)}>New list</Button>}
            </div>
            <TaskBoard run={run} />
            <div className="mt-2">
              <RunStatus run={run} />
            </div>
          </section>
          <section
            aria-labelledby="words"
            className="flex min-h-0 flex-col border-l border-line bg-panel px-8 pt-5 narrow:border-t narrow:border-l-0 narrow:p-3"
          >
            <h2 id="words" className="flex min-h-11 shrink-0 items-center text-lg font-semibold">
              What the model says and does
            </h2>
            <ModelAnswer run={run} isBusy={isBusy} />
          </section>
        </div>
      )}
    </Restored>
  );
}

/** The answer while it is written. It renders every frame; the components around it do not. */
function ModelAnswer({ run, isBusy }: { run: AnyRun; isBusy: boolean }) {
  const message = useRun(run, ({ messages }) => messages.findLast(({ role }) => role === 'assistant'));
  const toolCalls = useRun(run, (state) => state.toolCalls);
  return (
    <StickToBottom className="relative -mx-4 min-h-0 flex-1 narrow:mx-0" resize="instant" initial="instant">
      <StickToBottom.Content
        scrollClassName="scroll [scrollbar-gutter:auto]!"
        className="px-4 pb-6 narrow:px-0"
      >
        <div role="log" aria-labelledby="words" aria-busy={isBusy}>
          {message !== undefined && <Message message={message} toolCalls={toolCalls} />}
        </div>
      </StickToBottom.Content>
    </StickToBottom>
  );
}
