import type { EvalResult } from '@cueline/core/evals';
import { clsx } from 'clsx';
import { Check, CircleAlert, LoaderCircle, X } from 'lucide-react';
import { usePlayground } from '../state/store.ts';

const looks = {
  passed: { Icon: Check, look: 'text-ok', label: 'passed' },
  failed: { Icon: X, look: 'text-danger', label: 'failed' },
  error: { Icon: CircleAlert, look: 'text-danger', label: 'error' },
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
  const { Icon, look, label } = looks[result.status];
  return <Icon aria-label={label} className={clsx('size-3.5 shrink-0', look)} />;
}
