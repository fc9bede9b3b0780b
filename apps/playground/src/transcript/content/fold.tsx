import { useState, type ReactNode } from 'react';
import { Chevron } from '../../ui/chevron.tsx';

type FoldProps = {
  icon: ReactNode;
  title: ReactNode;
  /** Shown beside the title while folded. */
  hint?: ReactNode;
  open: boolean;
  children: ReactNode;
};

/** Content that can be unfolded. `open` decides until the user does. */
export function Fold({ icon, title, hint, open: suggested, children }: FoldProps) {
  const [choice, setChoice] = useState<boolean>();
  const open = choice ?? suggested;
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setChoice(!open)}
        className="-ml-1 flex max-w-full min-w-0 items-center gap-1.5 rounded px-1 py-0.5 text-base text-ink-2 hover:text-ink narrow:min-h-11"
      >
        <span className="shrink-0">{icon}</span>
        <span className="shrink-0">{title}</span>
        {!open && hint !== undefined && <span className="min-w-0 truncate text-ink-3">{hint}</span>}
        <Chevron open={open} />
      </button>
      {open && children}
    </div>
  );
}
