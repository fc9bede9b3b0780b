import { clsx } from 'clsx';
import { ChevronRight } from 'lucide-react';

/** Points to the right while what it stands before is folded, and down while it is open. */
export function Chevron({ open, className = 'size-3.5' }: { open: boolean; className?: string }) {
  return (
    <ChevronRight
      className={clsx('shrink-0 text-ink-3 transition-transform', open && 'rotate-90', className)}
    />
  );
}
