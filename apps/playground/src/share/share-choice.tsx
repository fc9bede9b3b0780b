import { Segment } from '../ui/segment.tsx';

type ShareChoiceProps<Value extends string> = {
  /** The heading while there is only one thing to share. */
  title: string;
  value: Value;
  onChoose: (value: Value) => void;
  /** The words for each value. */
  options: Readonly<Record<Value, string>>;
  /** False while there is only one thing to share. */
  hasChoice: boolean;
};

/** What is shared: a choice, or a heading. */
export function ShareChoice<Value extends string>(props: ShareChoiceProps<Value>) {
  const { title, value, onChoose, options, hasChoice } = props;
  if (!hasChoice) return <h2 className="font-semibold">{title}</h2>;
  return (
    <div className="mb-3">
      <Segment
        label="Share"
        value={value}
        onChange={onChoose}
        options={Object.entries<string>(options).map(([key, label]) => ({ value: key as Value, label }))}
      />
    </div>
  );
}
