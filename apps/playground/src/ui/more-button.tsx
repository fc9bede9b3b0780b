import { clsx } from 'clsx';
import type { ReactNode } from 'react';

type MoreButtonProps = { onMore: () => void; className?: string; children: ReactNode };

/** Draws more of a long list or text. */
export function MoreButton({ onMore, className, children }: MoreButtonProps) {
  return (
    <button
      type="button"
      onClick={onMore}
      className={clsx('text-sm text-text-kind underline narrow:min-h-11', className)}
    >
      {children}
    </button>
  );
}
