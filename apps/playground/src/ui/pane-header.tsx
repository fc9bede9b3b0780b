import type { ReactNode } from 'react';

/**
 * The line at the top of a pane: its name, and its controls on the right. A name that may be cut has `w-0 grow`, so
 * that it takes the room that the controls leave.
 */
export function PaneHeader({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div className="flex h-9 shrink-0 items-center gap-2 border-b border-line bg-panel px-4 text-sm narrow:h-14 narrow:px-3 narrow:short:h-11">
      <h2 className="flex min-w-0 grow items-center gap-2 font-medium">{title}</h2>
      <span className="ml-auto flex min-w-0 items-center gap-1">{children}</span>
    </div>
  );
}
