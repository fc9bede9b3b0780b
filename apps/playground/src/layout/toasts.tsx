import { useEffect } from 'react';
import { toast, Toaster } from 'sonner';
import { useNarrow, useTheme } from '../state/theme.ts';
import { drawToasts } from '../ui/toast.ts';

/** Where short messages appear over the page. */
export function Toasts() {
  const theme = useTheme();
  const narrow = useNarrow();
  // its child is listening by then
  useEffect(() => drawToasts(toast), []);
  return (
    <Toaster
      theme={theme}
      position="top-center"
      // Below the top bar, and on a phone below the Run button.
      offset={{ top: 56 }}
      mobileOffset={{ top: 120 }}
      toastOptions={{
        style: {
          background: 'var(--float)',
          color: 'var(--ink)',
          border: '1px solid var(--float-line)',
          boxShadow: 'var(--float-shadow)',
          fontFamily: 'var(--font-sans)',
          fontSize: '13px',
        },
        classNames: { description: 'text-ink-2!' },
        actionButtonStyle: {
          background: 'transparent',
          color: 'var(--ink)',
          border: '1px solid var(--line-strong)',
          height: narrow ? '44px' : '28px',
          padding: '0 10px',
          fontSize: '13px',
        },
      }}
    />
  );
}
