import type { ReactNode } from 'react';
import { Button, type ButtonProps } from '../ui/button.tsx';
import { isComposing } from '../ui/keys.tsx';
import type { Responding } from './use-response.ts';

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

type ResponseButtonProps = Pick<ButtonProps, 'variant' | 'type' | 'children'> & {
  responding: Responding;
  onPress?: () => void;
};

/** A button that sends a response. It ignores clicks that may still be meant for the card before. */
export function ResponseButton({ responding, onPress, ...props }: ResponseButtonProps) {
  return (
    <Button
      disabled={responding.isSending}
      aria-disabled={responding.isFresh}
      onClick={(event) => {
        if (responding.isUnread(event)) event.preventDefault();
        else onPress?.();
      }}
      {...props}
    />
  );
}
