import type { ApprovalState, Run } from '@cueline/core';
import { Check, Pencil, Undo2, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { ArgumentsEditor } from './arguments-editor.tsx';
import { readArguments } from './read-arguments.ts';
import { CallArguments, PendingCard } from './pending-card.tsx';
import { useResponse } from './use-response.ts';

type ApprovalCardProps = {
  run: Run;
  approval: ApprovalState;
  /** Name of the agent that asks; missing if the run itself asks. */
  agent: string | undefined;
  /** The user's last arguments for this call, if the run refused them. */
  draft: unknown;
  /** Its position among the waiting cards, from 1. */
  place: number;
  total: number;
};

/** Asks whether a tool call may run, and lets the user read and change its arguments. */
export function ApprovalCard({ run, approval, agent, draft, place, total }: ApprovalCardProps) {
  const { toolName, input, reason: asked } = approval;
  const card = useRef<HTMLElement>(null);
  const edit = useRef<HTMLButtonElement>(null);
  const [editing, setEditing] = useState(asked !== undefined);
  const [text, setText] = useState(() => JSON.stringify(asked === undefined ? input : draft, null, 2) ?? '');
  const [fault, setFault] = useState<string>();
  const { respond, isSending, isFresh, isUnread, refusal } = useResponse(run, approval);

  const approve = (): void => {
    if (!editing) return void respond({ approved: true });
    const read = readArguments(text);
    if ('fault' in read) return setFault(read.fault);
    setFault(undefined);
    void respond({ approved: true, input: read.value });
  };
  const stopEditing = (): void => {
    setEditing(false);
    setFault(undefined);
    setText(JSON.stringify(input, null, 2) ?? '');
    requestAnimationFrame(() => edit.current?.focus());
  };

  return (
    <PendingCard
      ref={card}
      testId="approval"
      agent={agent}
      question={
        <>
          May <bdi className="font-mono text-sm font-semibold">{toolName}</bdi> run?
        </>
      }
      place={place}
      total={total}
      refusal={refusal}
    >
      {asked !== undefined && (
        <p className="text-sm wrap-anywhere text-warn">Those arguments do not fit: {asked}</p>
      )}
      {editing ? (
        <ArgumentsEditor text={text} fault={fault} onChange={setText} onClose={stopEditing} />
      ) : (
        <CallArguments input={input} />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="primary"
          disabled={isSending}
          aria-disabled={isFresh}
          onClick={(event) => !isUnread(event) && approve()}
        >
          <Check />
          {editing ? 'Approve with these' : 'Approve'}
        </Button>
        <Button
          ref={edit}
          look="outline"
          disabled={isSending}
          onClick={editing ? stopEditing : () => setEditing(true)}
        >
          {editing ? <Undo2 /> : <Pencil />}
          {editing ? 'As they were' : 'Edit'}
        </Button>
        <RefuseForm
          isSending={isSending}
          isFresh={isFresh}
          isUnread={isUnread}
          onRefuse={(reason) => void respond({ approved: false, ...(reason !== '' && { reason }) })}
          onEscape={() => card.current?.focus()}
        />
      </div>
    </PendingCard>
  );
}

type RefuseFormProps = {
  isSending: boolean;
  isFresh: boolean;
  isUnread: (click: { detail: number }) => boolean;
  onRefuse: (reason: string) => void;
  onEscape: () => void;
};

function RefuseForm({ isSending, isFresh, isUnread, onRefuse, onEscape }: RefuseFormProps) {
  const [reason, setReason] = useState('');
  return (
    <form
      className="flex min-w-52 flex-1 items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSending) onRefuse(reason.trim());
      }}
    >
      <input
        aria-label="Reason for refusing"
        placeholder="Reason (optional)"
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          onEscape();
        }}
        className="h-7 min-w-0 flex-1 rounded-md border border-line-strong/70 bg-panel px-2 text-base outline-none placeholder:text-ink-3 focus-visible:border-focus narrow:h-11"
      />
      <Button
        type="submit"
        look="outline"
        disabled={isSending}
        aria-disabled={isFresh}
        onClick={(event) => isUnread(event) && event.preventDefault()}
      >
        <X />
        Refuse
      </Button>
    </form>
  );
}
