import { clsx } from 'clsx';
import { RadioGroup } from 'radix-ui';
import { useId, type ReactNode } from 'react';

/** One of the kinds of models. */
export function Choice(props: { value: string; title: string; badge?: string; text: string }) {
  const id = useId();
  return (
    <label
      htmlFor={id}
      className={
        'flex cursor-pointer items-center gap-3 rounded-lg border border-line px-3 py-2.5 hover:border-line-strong ' +
        'has-data-[state=checked]:border-go has-data-[state=checked]:bg-ok-soft'
      }
    >
      <RadioGroup.Item
        id={id}
        value={props.value}
        className="grid size-4 shrink-0 place-items-center rounded-full border border-line-strong bg-panel data-[state=checked]:border-go"
      >
        <RadioGroup.Indicator className="size-2 rounded-full bg-go" />
      </RadioGroup.Item>
      <span className="min-w-0">
        <span className="flex items-center gap-2 font-medium">
          {props.title}
          {props.badge !== undefined && (
            <span className="rounded border border-line-strong px-1.5 text-xs font-normal text-ink-2">
              {props.badge}
            </span>
          )}
        </span>
        <span className="block text-sm text-ink-2">{props.text}</span>
      </span>
    </label>
  );
}

export type FieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
  optional?: boolean;
  /** Shown as dots, and excluded from the browser's autofill. */
  secret?: boolean;
  hint?: ReactNode;
  problem?: string | undefined;
};

/** A labelled text field, with its error below. */
export function Field({ label, value, onChange, placeholder, optional, secret, hint, problem }: FieldProps) {
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
        {optional === true && <span className="font-normal text-ink-3"> · optional</span>}
      </label>
      <input
        id={id}
        type={secret === true ? 'password' : 'text'}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        placeholder={placeholder}
        autoComplete={secret === true ? 'new-password' : 'off'}
        autoCapitalize="none"
        spellCheck={false}
        data-1p-ignore
        data-lpignore="true"
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined && hint === undefined ? undefined : `${id}-more`}
        className={clsx(
          'h-8 w-full rounded-md border bg-page px-2.5 font-mono text-sm placeholder:text-ink-3 narrow:h-11 narrow:text-[16px]',
          problem === undefined ? 'border-line-strong/70' : 'border-danger',
        )}
      />
      {(problem !== undefined || hint !== undefined) && (
        <p
          id={`${id}-more`}
          className={clsx('mt-1 text-sm break-words', problem === undefined ? 'text-ink-2' : 'text-danger')}
        >
          {problem ?? hint}
        </p>
      )}
    </div>
  );
}
