import { clsx } from 'clsx';
import { useId, type ComponentProps, type ReactNode } from 'react';
import { visibleText } from './visible-text.ts';

const control =
  'w-full rounded-md border bg-page px-2.5 text-base text-ellipsis placeholder:text-ink-3 narrow:text-[16px] aria-invalid:border-danger border-line-strong/70';

type Labelled = {
  label: string;
  /** For screen readers only; a group has a visible label. */
  quiet?: boolean;
  /** Marks the label of a field that may stay empty. */
  optional?: boolean;
  hint?: ReactNode;
  problem?: string | undefined;
  className?: string | undefined;
};

type Described = { id: string; 'aria-invalid': boolean; 'aria-describedby': string | undefined };

function Labelled({
  label,
  quiet = false,
  optional = false,
  hint,
  problem,
  className,
  children,
}: Labelled & { children: (described: Described) => ReactNode }) {
  const id = useId();
  const more = problem ?? hint;
  return (
    <div className={clsx('min-w-0', className)}>
      <label htmlFor={id} className={quiet ? 'sr-only' : 'mb-1 block text-sm font-medium'}>
        {/* a script or a prompt of another user names its parameters and describes them */}
        {visibleText(label)}
        {optional && <span className="font-normal text-ink-3"> · optional</span>}
      </label>
      {children({
        id,
        'aria-invalid': problem !== undefined,
        'aria-describedby': more === undefined ? undefined : `${id}-more`,
      })}
      {more !== undefined && (
        <p
          id={`${id}-more`}
          className={clsx('mt-1 text-sm wrap-anywhere', problem === undefined ? 'text-ink-3' : 'text-danger')}
        >
          {typeof more === 'string' ? visibleText(more) : more}
        </p>
      )}
    </div>
  );
}

type Text = Labelled & {
  value: string;
  onText: (text: string) => void;
  /** Shows code and names in a monospaced font. */
  code?: boolean;
};

/** A labelled line of text, with its problem below. */
export function TextInput(props: Text & Omit<ComponentProps<'input'>, keyof Text>) {
  const { labels, value, onText, code, input } = split(props);
  return (
    <Labelled {...labels}>
      {(described) => (
        <input
          autoComplete="off"
          {...input}
          {...described}
          // a text may be in a language that is written from right to left
          dir={code ? undefined : 'auto'}
          value={value}
          onChange={(event) => onText(event.target.value)}
          autoCapitalize="none"
          spellCheck={!code}
          className={clsx(control, 'h-7 narrow:h-11', code && 'font-mono')}
        />
      )}
    </Labelled>
  );
}

/** A labelled text of several lines, which grows with its content. */
export function TextArea(props: Text & Omit<ComponentProps<'textarea'>, keyof Text>) {
  const { labels, value, onText, code, input } = split(props);
  return (
    <Labelled {...labels}>
      {(described) => (
        <textarea
          {...input}
          {...described}
          dir={code ? undefined : 'auto'}
          value={value}
          onChange={(event) => onText(event.target.value)}
          autoComplete="off"
          className={clsx(
            control,
            'scroll block field-sizing-content max-h-80 min-h-7 resize-y py-[3px] leading-[20px] narrow:min-h-11 narrow:py-2.5 narrow:leading-[22px]',
            code && 'font-mono',
          )}
        />
      )}
    </Labelled>
  );
}

/** Splits the props into those of the label, those of the text, and the attributes of the element. */
function split<Props extends Text>({
  label,
  quiet = false,
  optional = false,
  hint,
  problem,
  className,
  value,
  onText,
  code,
  ...input
}: Props) {
  return {
    labels: { label, quiet, optional, hint, problem, className },
    value,
    onText,
    code: code ?? false,
    input,
  };
}

/** A labelled choice of one of several values. */
export function Choose<Value extends string>({
  label,
  quiet,
  hint,
  problem,
  className,
  value,
  onChoose,
  options,
}: Labelled & {
  value: Value;
  onChoose: (value: Value) => void;
  options: readonly (Value | readonly [value: Value, label: string])[];
}) {
  return (
    <Labelled {...{ label, quiet: quiet ?? false, hint, problem, className }}>
      {(described) => (
        <select
          {...described}
          value={value}
          onChange={(event) => onChoose(event.target.value as Value)}
          className={clsx(control, 'h-7 px-1.5 narrow:h-11')}
        >
          {options.map((option) => {
            const [key, words] = typeof option === 'string' ? [option, option] : option;
            return (
              <option key={key} value={key}>
                {visibleText(words)}
              </option>
            );
          })}
        </select>
      )}
    </Labelled>
  );
}

/** A box with its label beside it. */
export function Checkbox({
  label,
  checked,
  onCheck,
  disabled = false,
  invalid,
  describedBy,
}: {
  label: ReactNode;
  checked: boolean;
  onCheck: (checked: boolean) => void;
  disabled?: boolean;
  invalid?: boolean;
  /** The id of its help or its problem. */
  describedBy?: string | undefined;
}) {
  return (
    <label className="inline-flex min-h-7 items-center gap-2 text-base has-disabled:text-ink-3 narrow:min-h-11">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-invalid={invalid}
        aria-describedby={describedBy}
        onChange={(event) => onCheck(event.target.checked)}
        className="size-4 shrink-0 accent-go"
      />
      {label}
    </label>
  );
}
