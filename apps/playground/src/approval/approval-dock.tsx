import { isInProgress, isPending, type Run, type RunState } from '@cueline/core';
import { clsx } from 'clsx';
import { useEffect, useRef } from 'react';
import { allPending } from '../state/pending.ts';
import { ApprovalCard } from './approval-card.tsx';
import { ClientToolCard } from './client-tool-card.tsx';
import { refusedOf } from './refused-arguments.ts';
import { inputSchemaOf } from './tool-schema.ts';

/**
 * The approvals and client tool calls that the run waits for, one card at a time, below the transcript so that
 * they stay in view. While an earlier moment of the run is shown, they are hidden, and keep what the user has written.
 * `onAnswered` is called after the last one, so that the focus can move.
 */
export function ApprovalDock({
  run,
  state,
  hidden,
  onAnswered,
}: {
  run: Run;
  /** The present state of the run, also while an earlier moment is shown. */
  state: RunState;
  hidden: boolean;
  onAnswered: () => void;
}) {
  const all = allPending(state);
  const open = isInProgress(state) ? all.filter(isPending) : [];
  const pending = open[0];
  const dock = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  useEffect(() => {
    if (pending === undefined && hadFocus.current) onAnswered();
    hadFocus.current = false;
  }, [pending, hidden, onAnswered]);
  if (pending === undefined) return null;
  // a call that the run asks about again counts once
  const answered = new Set(
    all.flatMap(({ response, toolCallId, agent: path }) =>
      response === undefined || toolCallId === pending.toolCallId ? [] : [`${path}/${toolCallId}`],
    ),
  ).size;
  const agent = state.agents.findLast(({ path }) => path === pending.agent);
  return (
    <div
      ref={dock}
      // while the user edits, the card is more important than the transcript
      className={clsx(
        hidden ? 'hidden' : 'flex',
        'max-h-[60%] min-h-0 flex-col border-t border-line bg-panel px-5 py-3 has-[form[aria-label]]:max-h-[78%] narrow:px-3 narrow:has-[form[aria-label]]:max-h-[85%] short:max-h-none! short:shrink-0',
      )}
      onFocus={() => (hadFocus.current = true)}
      onBlur={(event) => {
        // the focused control has been removed
        if (event.relatedTarget !== null) hadFocus.current = false;
      }}
    >
      <div className="mx-auto flex min-h-0 w-full max-w-[720px] flex-col">
        {'clientCallId' in pending ? (
          <ClientToolCard
            key={pending.clientCallId}
            run={run}
            hidden={hidden}
            call={pending}
            agent={agent?.name}
            place={answered + 1}
            total={answered + open.length}
          />
        ) : (
          <ApprovalCard
            key={pending.approvalId}
            run={run}
            hidden={hidden}
            approval={pending}
            agent={agent?.name}
            schema={inputSchemaOf(state, pending)}
            refused={refusedOf(state, pending)}
            place={answered + 1}
            total={answered + open.length}
          />
        )}
      </div>
    </div>
  );
}
