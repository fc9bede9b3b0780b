import type { ReactNode } from 'react';

/** A part of a call's details with its name above it; belongs in a `<dl>`. */
export function Field({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="mb-0.5 text-xs font-medium text-ink-3">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
