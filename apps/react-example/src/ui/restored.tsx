import { useRunSuspense, type AnyRun } from '@cueline/react';
import type { ReactNode } from 'react';

/**
 * Shows its children once the run's storage has been read, so that nothing is shown that disappears a moment later.
 */
export function Restored({ run, children }: { run: AnyRun; children: ReactNode }) {
  useRunSuspense(run, 'hydrated');
  return children;
}
