import { isOpenRequest, type RequestState, type Run, type RunState } from '@cueline/core';
import { useEffect, useRef } from 'react';
import { isUnderWay } from '../state/is-under-way.ts';
import { ApprovalCard } from './approval-card.tsx';
import { ClientToolCard } from './client-tool-card.tsx';

/**
 * What the run waits for, below the transcript, so that it is in view wherever the transcript stands. One request at a
 * time; `onAnswered` is called when there is none left, for the focus to go somewhere.
 */
export function ApprovalDock({
  run,
  state,
  onAnswered,
}: {
  run: Run;
  state: RunState;
  onAnswered: () => void;
}) {
  const open = isUnderWay(state) ? state.requests.filter(isOpenRequest) : [];
  const request = open[0];
  const dock = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  useEffect(() => {
    if (request === undefined && hadFocus.current) onAnswered();
    hadFocus.current = false;
  }, [request, onAnswered]);
  if (request === undefined) return null;
  // a call that is asked about again is one
  const answered = new Set(
    state.requests.flatMap(({ answer, toolCallId, agent: path }) =>
      answer === undefined || toolCallId === request.toolCallId ? [] : [`${path}/${toolCallId}`],
    ),
  ).size;
  const agent = state.agents.findLast(({ path }) => path === request.agent);
  return (
    <div
      ref={dock}
      className="max-h-[60%] shrink-0 overflow-y-auto border-t border-line bg-panel px-5 py-3 narrow:px-3"
      onFocus={() => (hadFocus.current = true)}
      onBlur={(event) => {
        // without a place to go to, the focus left because its control did
        if (event.relatedTarget !== null) hadFocus.current = false;
      }}
    >
      <div className="mx-auto max-w-[720px]">
        {request.kind === 'client-tool' ? (
          <ClientToolCard
            key={request.requestId}
            run={run}
            request={request}
            agent={agent?.name}
            place={answered + 1}
            total={answered + open.length}
          />
        ) : (
          <ApprovalCard
            key={request.requestId}
            run={run}
            request={request}
            agent={agent?.name}
            draft={draftOf(state, request)}
            place={answered + 1}
            total={answered + open.length}
          />
        )}
      </div>
    </div>
  );
}

/** The arguments of the last answer about the same call; those that were asked about where there was none. */
function draftOf({ requests }: RunState, { toolCallId, input, agent }: RequestState): unknown {
  const before = requests.findLast(
    (other) => other.toolCallId === toolCallId && other.agent === agent && other.answer !== undefined,
  );
  return (before?.answer?.approve === true ? before.answer.input : undefined) ?? input;
}

/** Brings the focus to what the run asks, if it asks anything. */
export function focusApproval(): void {
  document.querySelector<HTMLElement>('[data-request]')?.focus();
}
