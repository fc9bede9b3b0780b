import type { ReactNode } from 'react';
import { isComposing } from '../ui/keys.tsx';

type ResponseFormProps = {
  label: string;
  className?: string;
  /** Sends the response: the user has pressed ⌘/Ctrl+Enter. */
  onSend: () => void;
  onEscape: () => void;
  children: ReactNode;
};

/** The fields of a response. Their shortcuts do not reach the page, where the same keys start and stop runs. */
export function ResponseForm({ label, className, onSend, onEscape, children }: ResponseFormProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys of the fields inside
    <form
      aria-label={label}
      noValidate
      className={className}
      // Enter in a field of one line is not an approval
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (isComposing(event.nativeEvent)) return;
        if (event.key === 'Escape') {
          event.preventDefault();
          onEscape();
        } else if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && !event.shiftKey) {
          event.preventDefault();
          if (!event.repeat) onSend();
        }
      }}
    >
      {children}
    </form>
  );
}
