import type { ApprovalState, Run } from '@cueline/core';
import { Check, Pencil, Undo2, X } from 'lucide-react';
import { useRef } from 'react';
import { useKeptState, type DraftOwner } from '../input/use-kept-state.ts';
import { Button } from '../ui/button.tsx';
import { isComposing } from '../ui/keys.tsx';
import { ArgumentsForm } from './arguments-form.tsx';
import { CallArguments, PendingCard } from './pending-card.tsx';
import type { RefusedArguments } from './refused-arguments.ts';
import { useArguments } from './use-arguments.ts';
import { useResponse } from './use-response.ts';
import { visibleText } from '../ui/visible-text.ts';

type ApprovalCardProps = {
  run: Run;
  approval: ApprovalState;
  /** The JSON Schema of the tool's arguments; undefined if it is not known. */
  schema: unknown;
  /** Name of the agent that asks; missing if the run itself asks. */
  agent: string | undefined;
  /** The user's last arguments for this call, if the run refused them. */
  refused: RefusedArguments | undefined;
  /** True while an earlier moment of the run is shown. */
  hidden: boolean;
  /** Its position among the waiting cards, from 1. */
  place: number;
  total: number;
};

/** Asks whether a tool call may run, and lets the user read and change its arguments. */
export function ApprovalCard({
  run,
  approval,
  schema,
  agent,
  refused,
  hidden,
  place,
  total,
}: ApprovalCardProps) {
  const { toolName, input, reason, providerExecuted = false } = approval;
  const card = useRef<HTMLElement>(null);
  const edit = useRef<HTMLButtonElement>(null);
  const owner = { run, id: approval.approvalId };
  const [editing, setEditing] = useKeptState(owner, 'editing', () => refused !== undefined);
  const edited = useArguments(owner, schema, input, refused);
  const { respond, isSending, isFresh, isUnread, refusal } = useResponse(run, approval, hidden);
  const isChanged = editing && edited.isChanged;

  const approve = (): void => {
    if (isSending) return;
    const written = isChanged ? edited.read() : { value: undefined };
    if (written === undefined) return;
    void respond({ approved: true, ...(isChanged && { input: written.value }) });
  };
  const stopEditing = (): void => {
    setEditing(false);
    edited.reset();
    requestAnimationFrame(() => edit.current?.focus());
  };

  return (
    <PendingCard
      ref={card}
      testId="approval"
      agent={agent}
      hidden={hidden}
      question={
        <>
          May <bdi className="font-mono text-sm font-semibold">{visibleText(toolName)}</bdi> run?
        </>
      }
      place={place}
      total={total}
      refusal={refusal}
    >
      {refused === undefined && reason !== undefined && (
        <p className="text-sm wrap-anywhere text-ink-2">{visibleText(reason)}</p>
      )}
      {editing && edited.refusal !== undefined && (
        <p className="text-sm wrap-anywhere text-warn">
          The arguments do not fit the tool’s schema: {visibleText(edited.refusal)}
        </p>
      )}
      {editing ? (
        <ArgumentsForm
          edited={edited}
          onSend={approve}
          // typed text is not lost with one key
          onEscape={isChanged ? () => edit.current?.focus() : stopEditing}
        />
      ) : (
        <CallArguments input={input} />
      )}
      <div className="flex shrink-0 flex-wrap items-center gap-2">
        <Button
          variant="primary"
          disabled={isSending}
          aria-disabled={isFresh}
          onClick={(event) => !isUnread(event) && approve()}
        >
          <Check />
          {isChanged ? 'Approve with changes' : 'Approve'}
        </Button>
        {!providerExecuted && (
          <Button
            ref={edit}
            variant="outline"
            disabled={isSending}
            onClick={editing ? stopEditing : () => setEditing(true)}
          >
            {editing ? <Undo2 /> : <Pencil />}
            {editing ? 'Undo edits' : 'Edit'}
          </Button>
        )}
        <RefuseForm
          owner={owner}
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
  owner: DraftOwner;
  isSending: boolean;
  isFresh: boolean;
  isUnread: (click: { detail: number }) => boolean;
  onRefuse: (reason: string) => void;
  onEscape: () => void;
};

function RefuseForm({ owner, isSending, isFresh, isUnread, onRefuse, onEscape }: RefuseFormProps) {
  const [reason, setReason] = useKeptState(owner, 'refusal', () => '');
  return (
    <form
      className="flex min-w-60 flex-1 items-center gap-2"
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
          if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return;
          event.preventDefault();
          onEscape();
        }}
        className="h-7 min-w-0 flex-1 rounded-md border border-line-strong/70 bg-panel px-2 text-base outline-none placeholder:text-ink-3 focus-visible:border-focus narrow:h-11 narrow:text-[16px]"
      />
      <Button
        type="submit"
        variant="outline"
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
