import type { RequestAnswer, RequestState, Run } from '@cueline/core';
import { Check, Pause, Pencil, Undo2, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { JsonView } from '../transcript/json-view.tsx';
import { Button } from '../ui/button.tsx';
import { Keys } from '../ui/keys.tsx';
import { ArgumentsEditor } from './arguments-editor.tsx';
import { readArguments } from './read-arguments.ts';

type ApprovalCardProps = {
  run: Run;
  request: RequestState;
  /** Name of the agent that asks; missing for the run itself. */
  agent: string | undefined;
  /** What the person wrote in answer to the request before, where that did not fit. */
  draft: unknown;
  /** Its place among those that wait, from 1. */
  place: number;
  total: number;
};

/** How long a request takes no click after it has appeared, in milliseconds. */
const FRESH_MS = 400;

/** Asks whether a tool call may run, with its arguments to look at and to change. */
export function ApprovalCard({ run, request, agent, draft, place, total }: ApprovalCardProps) {
  const { requestId, toolName, input, fault: asked } = request;
  const title = useId();
  const card = useRef<HTMLElement>(null);
  const edit = useRef<HTMLButtonElement>(null);
  const [editing, setEditing] = useState(asked !== undefined);
  const [text, setText] = useState(() => JSON.stringify(asked === undefined ? input : draft, null, 2) ?? '');
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<string>();
  const [sending, setSending] = useState(false);
  const [isFresh, setIsFresh] = useState(true);
  const [refusal, setRefusal] = useState<string>();

  useEffect(() => {
    // a second click on the request before must not answer this one unread
    const timer = setTimeout(() => setIsFresh(false), FRESH_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    // who is writing somewhere goes on writing; the shortcut brings them here
    if (!isWriting(document.activeElement)) card.current?.focus();
  }, []);

  const answer = async (given: RequestAnswer): Promise<void> => {
    setSending(true);
    setRefusal(undefined);
    const reply = await run.respond(requestId, given);
    setSending(false);
    if (!reply.accepted) setRefusal(reply.reason);
  };
  const isUnread = ({ detail }: { detail: number }): boolean => isFresh && detail > 0;
  const approve = (): void => {
    if (!editing) return void answer({ approve: true });
    const read = readArguments(text);
    if ('fault' in read) return setFault(read.fault);
    void answer({ approve: true, input: read.value });
  };
  const refuse = (): void =>
    void answer(reason.trim() === '' ? { approve: false } : { approve: false, reason: reason.trim() });
  const stopEditing = (): void => {
    setEditing(false);
    setFault(undefined);
    setText(JSON.stringify(input, null, 2) ?? '');
    requestAnimationFrame(() => edit.current?.focus());
  };

  return (
    <section
      ref={card}
      role="group"
      tabIndex={-1}
      aria-labelledby={title}
      data-testid="approval"
      className="grid grid-cols-[minmax(0,1fr)] gap-2.5 rounded-lg border border-warn/45 bg-warn-soft p-3 outline-offset-2"
    >
      <div className="flex items-center gap-2">
        <Pause aria-hidden className="size-3.5 shrink-0 text-warn" />
        <h3 id={title} className="line-clamp-3 min-w-0 flex-1 wrap-anywhere">
          {agent !== undefined && <bdi className="text-ink-2">{agent}: </bdi>}
          May <bdi className="font-mono text-sm font-semibold">{toolName}</bdi> run?
        </h3>
        {total > 1 && (
          <span className="shrink-0 text-sm text-ink-2">
            {place} of {total}
          </span>
        )}
        <Keys keys={['Mod', 'Shift', '↵']} className="shrink-0 text-ink-3 narrow:hidden" />
      </div>
      {asked !== undefined && (
        <p className="text-sm wrap-anywhere text-warn">Those arguments do not fit: {asked}</p>
      )}
      {editing ? (
        <ArgumentsEditor text={text} fault={fault} onChange={setText} onClose={stopEditing} />
      ) : (
        <div
          role="group"
          aria-label="Arguments"
          className="scroll max-h-[24vh] rounded-md border border-line bg-panel px-2.5 py-2"
        >
          <JsonView value={input} />
        </div>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="primary"
          disabled={sending}
          aria-disabled={isFresh}
          onClick={(event) => !isUnread(event) && approve()}
        >
          <Check />
          {editing ? 'Approve with these' : 'Approve'}
        </Button>
        <Button
          ref={edit}
          look="outline"
          disabled={sending}
          onClick={editing ? stopEditing : () => setEditing(true)}
        >
          {editing ? <Undo2 /> : <Pencil />}
          {editing ? 'As they were' : 'Edit'}
        </Button>
        <form
          className="flex min-w-52 flex-1 items-center gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (!sending) refuse();
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
              card.current?.focus();
            }}
            className="h-7 min-w-0 flex-1 rounded-md border border-line-strong/70 bg-panel px-2 text-base outline-none placeholder:text-ink-3 focus-visible:border-focus narrow:h-11"
          />
          <Button
            type="submit"
            look="outline"
            disabled={sending}
            aria-disabled={isFresh}
            onClick={(event) => isUnread(event) && event.preventDefault()}
          >
            <X />
            Refuse
          </Button>
        </form>
      </div>
      {refusal !== undefined && (
        <p role="alert" className="text-sm text-danger">
          {refusal}
        </p>
      )}
    </section>
  );
}

/** True for an element that takes what is typed. */
function isWriting(element: Element | null): boolean {
  return element?.matches('input, textarea, [contenteditable=true], .native-edit-context') === true;
}
