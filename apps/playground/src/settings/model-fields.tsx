import { RadioGroup } from 'radix-ui';
import { useId, type ReactNode } from 'react';
import { TextInput } from '../ui/form-controls.tsx';

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

type FieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
  optional?: boolean;
  /** Shown as dots, and excluded from the browser's autofill. */
  secret?: boolean;
  hint?: ReactNode;
  problem: string | undefined;
};

/** A line of text that no password manager fills in or keeps. */
export function Field({ secret = false, onChange, ...props }: FieldProps) {
  return (
    <TextInput
      {...props}
      code
      onText={onChange}
      type={secret ? 'password' : 'text'}
      autoComplete={secret ? 'new-password' : 'off'}
      data-1p-ignore
      data-lpignore="true"
      className="[&_input]:h-8 [&_input]:text-sm narrow:[&_input]:h-11 narrow:[&_input]:text-[16px]"
    />
  );
}
