import { clsx } from 'clsx';
import { useState, type ReactNode } from 'react';
import { formatCount, plural } from './format.ts';

type MoreButtonProps = { onMore: () => void; className?: string; children: ReactNode };

/** Draws more of a long list or text. */
export function MoreButton({ onMore, className, children }: MoreButtonProps) {
  return (
    <button
      type="button"
      onClick={onMore}
      className={clsx('min-h-6 text-sm text-text-kind underline narrow:min-h-11', className)}
    >
      {children}
    </button>
  );
}

type ShowMoreProps = Omit<MoreButtonProps, 'children'> & {
  /** How many items are not drawn. */
  left: number;
  /** What the button says before the number. */
  label?: string;
  /** What is counted: `part`. */
  noun?: string;
};

/** The first `atOnce` items of a list, and as many more at each press. The rest is for {@link ShowMore}. */
export function useFirstItems<Item>(
  items: readonly Item[],
  atOnce: number,
): { shown: readonly Item[]; left: number; onMore: () => void } {
  const [most, setMost] = useState(atOnce);
  return { shown: items.slice(0, most), left: items.length - most, onMore: () => setMost(most + atOnce) };
}

/** The button for the items of a list that are not drawn; nothing if all are. */
export function ShowMore({ left, label = 'Show more', noun, ...props }: ShowMoreProps) {
  if (left <= 0) return null;
  return (
    <MoreButton className="my-1" {...props}>
      {label} ({noun === undefined ? formatCount(left) : plural(left, noun)} left)
    </MoreButton>
  );
}
