import { clsx } from 'clsx';
import { useId, type ReactNode } from 'react';
import { visibleText } from '../ui/visible-text.ts';

type NoteProps = { id?: string; hint?: ReactNode; problem: string | undefined };

/** The help text of a field, or its problem. */
export function FieldNote({ id, hint, problem }: NoteProps) {
  const note = problem ?? hint;
  if (note === undefined) return null;
  return (
    <p
      id={id}
      className={clsx('text-sm wrap-anywhere', problem === undefined ? 'text-ink-3' : 'text-danger')}
    >
      {typeof note === 'string' ? visibleText(note) : note}
    </p>
  );
}

type FieldGroupProps = Omit<NoteProps, 'id'> & { label: string; action?: ReactNode; children: ReactNode };

/** Several fields for one value, below the value's name. */
export function FieldGroup({ label, action, children, ...note }: FieldGroupProps) {
  const id = useId();
  return (
    <fieldset
      // takes the focus if its problem is the first one
      tabIndex={-1}
      aria-describedby={(note.problem ?? note.hint) === undefined ? undefined : id}
      data-invalid={note.problem !== undefined || undefined}
      className="basis-full! min-w-0 rounded-lg border border-line bg-raised px-2.5 data-invalid:border-danger-line"
    >
      <legend className="sr-only">{visibleText(label)}</legend>
      <div className="flex min-h-9 items-center gap-2 narrow:min-h-11">
        <p aria-hidden className="min-w-0 flex-1 truncate text-sm font-medium">
          {visibleText(label)}
        </p>
        {action}
      </div>
      <div className="grid gap-2 pb-2.5 empty:hidden">
        <FieldNote id={id} {...note} />
        {children}
      </div>
    </fieldset>
  );
}
