import type { EvalResult } from '@cueline/core/evals';
import { clsx } from 'clsx';
import { Check, CircleAlert, LoaderCircle, X } from 'lucide-react';
import { usePlayground } from '../state/store.ts';

const styles = {
  passed: { Icon: Check, className: 'text-ok', label: 'passed' },
  failed: { Icon: X, className: 'text-danger', label: 'failed' },
  error: { Icon: CircleAlert, className: 'text-danger', label: 'error' },
} as const;

/** How a run ended, by icon and text. */
export function StatusIcon({ result }: { result: EvalResult | undefined }) {
  const evaluating = usePlayground((state) => state.evaluating);
  if (result === undefined) {
    return evaluating ? (
      <LoaderCircle aria-label="to come" className="size-3.5 text-ink-3" />
    ) : (
      <span className="text-sm text-ink-3">not run</span>
    );
  }
  const { Icon, className, label } = styles[result.status];
  return <Icon aria-label={label} className={clsx('size-3.5 shrink-0', className)} />;
}
