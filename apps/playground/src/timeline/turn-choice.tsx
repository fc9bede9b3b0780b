import { RadioGroup } from 'radix-ui';

type TurnChoiceProps = { count: number; turn: number; onChoose: (turn: number) => void };

/** A choice of the turn that is shown; a list if there are many. */
export function TurnChoice({ count, turn, onChoose }: TurnChoiceProps) {
  if (count > 5) {
    return (
      <select
        aria-label="Turn"
        value={turn}
        onChange={(event) => onChoose(Number(event.target.value))}
        className="h-7 rounded-md border border-line-strong/70 bg-panel px-1.5 text-sm narrow:h-11"
      >
        {Array.from({ length: count }, (_, index) => (
          <option key={index} value={index}>
            Turn {index + 1}
          </option>
        ))}
      </select>
    );
  }
  return (
    <RadioGroup.Root
      aria-label="Turn"
      value={String(turn)}
      onValueChange={(value) => onChoose(Number(value))}
      className="flex rounded-md border border-line-strong/70 bg-page p-px narrow:p-0.5"
    >
      {Array.from({ length: count }, (_, index) => (
        <RadioGroup.Item
          key={index}
          value={String(index)}
          className="rounded px-2 min-h-6 whitespace-nowrap text-ink-2 data-[state=checked]:bg-hover data-[state=checked]:font-medium data-[state=checked]:text-ink narrow:h-11 narrow:min-w-11"
        >
          <span className="narrow:sr-only">Turn </span>
          {index + 1}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}
