import { useState, type ReactNode } from 'react';
import { Chevron } from './chevron.tsx';

type SectionProps = {
  title: string;
  /** Beside the title: how much there is. */
  hint?: ReactNode;
  open?: boolean;
  children: ReactNode;
};

/** A part of the inspector that folds away. `open` decides until the user does. */
export function Section({ title, hint, open: suggested = true, children }: SectionProps) {
  const [choice, setChoice] = useState<boolean>();
  const open = choice ?? suggested;
  return (
    <section aria-label={title} className="border-b border-line last:border-b-0">
      <h3>
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setChoice(!open)}
          className="flex min-h-8 w-full min-w-0 items-center gap-1.5 px-4 narrow:px-3 text-left text-sm hover:bg-hover focus-visible:-outline-offset-2 narrow:min-h-11"
        >
          <Chevron open={open} />
          <span className="shrink-0 font-medium">{title}</span>
          {Boolean(hint) && <span className="ml-auto min-w-0 truncate pl-2 text-ink-3">{hint}</span>}
        </button>
      </h3>
      {open && <div className="px-4 narrow:px-3 pb-3">{children}</div>}
    </section>
  );
}

/** Facts as aligned rows of a name and a value. */
export function FactList({ rows }: { rows: readonly { name: string; value: ReactNode }[] }) {
  return (
    <dl className="grid grid-cols-[fit-content(45%)_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-sm">
      {rows.map(({ name, value }, index) => (
        <div key={index} className="col-span-2 grid min-h-[22px] grid-cols-subgrid items-baseline">
          <dt className="text-ink-3">{name}</dt>
          <dd className="min-w-0 wrap-anywhere text-ink-2">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A note in place of an empty list or value. */
export function EmptyText({ children }: { children: ReactNode }) {
  return <p className="text-sm text-ink-3">{children}</p>;
}
