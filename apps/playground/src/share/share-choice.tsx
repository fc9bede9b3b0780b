import { Segment } from '../ui/segment.tsx';

type ShareChoiceProps<Value extends string> = {
  /** The heading if there is only one thing to share. */
  title: string;
  value: Value;
  onChoose: (value: Value) => void;
  /** Undefined if there is no choice. */
  options: readonly { value: Value; label: string }[] | undefined;
};

/** What is shared: a choice, or a heading. */
export function ShareChoice<Value extends string>({
  title,
  value,
  onChoose,
  options,
}: ShareChoiceProps<Value>) {
  if (options === undefined) return <h2 className="font-semibold">{title}</h2>;
  return (
    <div className="mb-3">
      <Segment label="Share" value={value} onChange={onChoose} options={options} />
    </div>
  );
}
