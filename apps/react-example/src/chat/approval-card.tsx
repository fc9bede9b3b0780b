import type { ApprovalResponse, ApprovalState, EditReply } from '@cueline/core';
import { useId, useRef, useState, type FormEvent } from 'react';
import * as z from 'zod';
import { mailSchema } from '../schemas/mail.ts';
import { Button } from '../ui/button.tsx';

type ApprovalCardProps = {
  approval: ApprovalState;
  respond: (approvalId: string, response: ApprovalResponse) => Promise<EditReply>;
  /** The card disappears, and the focus must go somewhere. */
  onAnswered: () => void;
};

type Mail = z.infer<typeof mailSchema>;

/** Asks whether a mail may be sent. The user may change it first, or refuse with a reason. */
export function ApprovalCard({ approval, respond, onAnswered }: ApprovalCardProps) {
  const title = useId();
  const fields = useRef<HTMLDivElement>(null);
  const [mail, setMail] = useState(() => mailSchema.parse(approval.input));
  const [isEditing, setIsEditing] = useState(false);
  const [reason, setReason] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const checked = mailSchema.safeParse(mail);
  const faults: Partial<Record<keyof Mail, string[]>> = checked.success
    ? {}
    : z.flattenError(checked.error).fieldErrors;

  async function answer(response: ApprovalResponse): Promise<void> {
    const reply = await respond(approval.approvalId, response);
    if (reply.accepted) onAnswered();
    else setRefusal(reply.reason);
  }
  function edit(): void {
    setIsEditing(true);
    fields.current?.querySelector('input')?.focus();
  }
  function refuse(event: FormEvent): void {
    event.preventDefault();
    void answer(reason.trim() === '' ? { approved: false } : { approved: false, reason: reason.trim() });
  }

  return (
    <section
      aria-labelledby={title}
      data-testid="approval"
      className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-lg border border-warn/45 bg-warn-soft p-3"
    >
      <h3 id={title} className="font-semibold">
        May this mail be sent?
      </h3>
      {approval.reason !== undefined && (
        <p className="text-sm text-danger">That does not fit: {approval.reason}</p>
      )}
      <div ref={fields} className="grid gap-2">
        {(['to', 'subject', 'text'] as const).map((name) => (
          <MailField
            key={name}
            name={name}
            value={mail[name]}
            fault={faults[name]?.[0]}
            isEditing={isEditing}
            onChange={(value) => setMail({ ...mail, [name]: value })}
          />
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          variant="primary"
          disabled={!checked.success}
          onClick={() => void answer(isEditing ? { approved: true, input: mail } : { approved: true })}
        >
          {isEditing ? 'Send this' : 'Approve'}
        </Button>
        {!isEditing && <Button onClick={edit}>Edit</Button>}
        <form onSubmit={refuse} className="flex min-w-60 flex-1 gap-2">
          <input
            aria-label="Why not"
            placeholder="Why not (optional)"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            className="field"
          />
          <Button type="submit">Refuse</Button>
        </form>
      </div>
      {refusal !== undefined && <p role="alert">{refusal}</p>}
    </section>
  );
}

type MailFieldProps = {
  name: keyof Mail;
  value: string;
  fault: string | undefined;
  isEditing: boolean;
  onChange: (value: string) => void;
};

const labels = { to: 'To', subject: 'Subject', text: 'Text' };

function MailField({ name, value, fault, isEditing, onChange }: MailFieldProps) {
  const Control = name === 'text' ? 'textarea' : 'input';
  return (
    <label className="grid grid-cols-[60px_minmax(0,1fr)] items-baseline gap-x-2 narrow:grid-cols-1">
      <span className="text-sm text-ink-2">{labels[name]}</span>
      <Control
        value={value}
        rows={name === 'text' ? 5 : undefined}
        readOnly={!isEditing}
        aria-invalid={fault !== undefined}
        onChange={(event) => onChange(event.target.value)}
        className="field resize-none"
      />
      {fault !== undefined && (
        <span className="col-start-2 text-sm text-danger narrow:col-start-1">{fault}</span>
      )}
    </label>
  );
}
