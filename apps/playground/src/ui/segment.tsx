import { RadioGroup } from 'radix-ui';
import { useId } from 'react';

/** A choice between two or three short words. */
export function Segment<Value extends string>(props: {
  label: string;
  /** For screen readers only; a label is visible otherwise. */
  quiet?: boolean;
  value: Value;
  onChange: (value: Value) => void;
  options: readonly { value: Value; label: string }[];
}) {
  const id = useId();
  return (
    <div>
      <span id={id} className={props.quiet === true ? 'sr-only' : 'mb-1 block text-sm font-medium'}>
        {props.label}
      </span>
      <RadioGroup.Root
        aria-labelledby={id}
        value={props.value}
        onValueChange={(value) => props.onChange(value as Value)}
        className="flex h-8 rounded-md border border-line-strong/70 bg-page p-0.5 narrow:h-auto"
      >
        {props.options.map(({ value, label }) => (
          <RadioGroup.Item
            key={value}
            value={value}
            className="flex-1 rounded px-2.5 text-sm narrow:h-11 whitespace-nowrap text-ink-2 data-[state=checked]:bg-hover data-[state=checked]:font-medium data-[state=checked]:text-ink data-[state=checked]:shadow-[0_0_0_1px_var(--line-strong)]"
          >
            {label}
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
    </div>
  );
}
