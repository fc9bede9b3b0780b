import { useRunSuspense, type AnyRun } from '@cueline/react';
import type { ReactNode } from 'react';

/** Shows its children once it is known what the storage has of a run, so that nothing is shown that is gone a moment later. */
export function Restored({ run, children }: { run: AnyRun; children: ReactNode }) {
  useRunSuspense(run, 'hydrated');
  return children;
}
