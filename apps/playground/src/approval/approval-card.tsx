import type { ApprovalState, Run } from '@cueline/core';
import { Check, Pencil, Undo2, X } from 'lucide-react';
import { useRef } from 'react';
import { useKeptState, type DraftOwner } from '../input/use-kept-state.ts';
import { Button } from '../ui/button.tsx';
import { isComposing } from '../ui/keys.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { ArgumentsForm } from './arguments-form.tsx';
import { CallArguments, PendingCard } from './pending-card.tsx';
import type { RefusedArguments } from './refused-arguments.ts';
import { ResponseButton } from './response-form.tsx';
import { useArguments } from './use-arguments.ts';
import { useResponse, type Responding } from './use-response.ts';

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
  const responding = useResponse(run, approval, hidden);
  const { respond, isSending, refusal } = responding;
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
        <ResponseButton variant="primary" responding={responding} onPress={approve}>
          <Check />
          {isChanged ? 'Approve with changes' : 'Approve'}
        </ResponseButton>
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
          responding={responding}
          onRefuse={(reason) => void respond({ approved: false, ...(reason !== '' && { reason }) })}
          onEscape={() => card.current?.focus()}
        />
      </div>
    </PendingCard>
  );
}

type RefuseFormProps = {
  owner: DraftOwner;
  responding: Responding;
  onRefuse: (reason: string) => void;
  onEscape: () => void;
};

function RefuseForm({ owner, responding, onRefuse, onEscape }: RefuseFormProps) {
  const [reason, setReason] = useKeptState(owner, 'refusal', () => '');
  return (
    <form
      className="flex min-w-60 flex-1 items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (!responding.isSending) onRefuse(reason.trim());
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
      <ResponseButton type="submit" variant="outline" responding={responding}>
        <X />
        Refuse
      </ResponseButton>
    </form>
  );
}
