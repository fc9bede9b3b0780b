import type { PromptStatus } from '@cueline/core/library';
import { clsx } from 'clsx';

const styles: Record<PromptStatus, string> = {
  draft: 'border-line-strong text-ink-2',
  active: 'border-ok/40 bg-ok-soft text-ok',
  deprecated: 'border-line text-ink-3 line-through',
};

export function StatusBadge({ status }: { status: PromptStatus }) {
  return <span className={clsx('rounded border px-1.5 text-xs font-normal', styles[status])}>{status}</span>;
}
