import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { addressOf, askToOpen } from './content/open-link-dialog.tsx';

type ModelLinkProps = { href: string | undefined; className?: string; children: ReactNode };

/** A link in a model's text: it asks before it opens, and is plain text unless its address is a web page or mail. */
export function ModelLink({ href, className, children }: ModelLinkProps) {
  const address = href === undefined ? undefined : addressOf(href);
  if (address === undefined) return <span className={className}>{children}</span>;
  return (
    <button
      type="button"
      onClick={() => askToOpen(address)}
      className={clsx('text-left text-text-kind underline decoration-1 underline-offset-2', className)}
    >
      {children}
    </button>
  );
}
