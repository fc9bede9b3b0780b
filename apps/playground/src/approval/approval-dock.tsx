import { isOpenRequest, type Run, type RunState } from '@cueline/core';
import { useEffect, useRef } from 'react';
import { isUnderWay } from '../state/is-under-way.ts';
import { ApprovalCard } from './approval-card.tsx';

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
  const answered = state.requests.filter(({ answer }) => answer !== undefined).length;
  const agent = state.agents.findLast(({ path }) => path === request.agent);
  return (
    <div
      ref={dock}
      className="shrink-0 border-t border-line bg-panel px-5 py-3 narrow:px-3"
      onFocus={() => (hadFocus.current = true)}
      onBlur={(event) => {
        // without a place to go to, the focus left because its control did
        if (event.relatedTarget !== null) hadFocus.current = false;
      }}
    >
      <div className="mx-auto max-w-[720px]">
        <ApprovalCard
          key={request.requestId}
          run={run}
          request={request}
          agent={agent?.name}
          place={answered + 1}
          total={answered + open.length}
        />
      </div>
    </div>
  );
}

/** Brings the focus to what the run asks, if it asks anything. */
export function focusApproval(): void {
  document.querySelector<HTMLElement>('[data-testid=approval]')?.focus();
}
