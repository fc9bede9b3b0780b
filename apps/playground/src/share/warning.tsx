import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

/** A warning before a link is sent. */
export function Warning({ children }: { children: ReactNode }) {
  return (
    <p className="mt-3 flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn">
      <TriangleAlert className="mt-[3px] size-3.5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  );
}

export function LongLinkWarning() {
  return (
    <Warning>Some chat tools cut links of more than 4 KB. A cut link says so when it is opened.</Warning>
  );
}
