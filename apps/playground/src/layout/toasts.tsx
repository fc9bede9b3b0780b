import { useEffect, type CSSProperties } from 'react';
import { toast, Toaster, type ToasterProps } from 'sonner';
import { useNarrow, useTheme } from '../state/theme.ts';
import { drawToasts } from '../ui/toast.ts';

/** Below the top bar, the tabs and the bar of the pane. */
const belowBars: ToasterProps = { position: 'top-center', offset: { top: 168 }, mobileOffset: { top: 168 } };
/** At the bottom of the element around it, above the editor's line of problems. */
const atBottom: ToasterProps = {
  position: 'bottom-left',
  offset: { bottom: 40, left: 12 },
  style: { position: 'absolute', width: 'min(356px, 100% - 24px)', '--width': '100%' } as CSSProperties,
};

/**
 * Short messages over the page: on a wide page at the bottom of the left pane, which contains this component, and on a
 * phone below its bars. There they cover neither the status of a run nor its newest row, nor any controls.
 */
export function Toasts() {
  const theme = useTheme();
  const narrow = useNarrow();
  // its child is listening by then
  useEffect(() => drawToasts(toast), []);
  return (
    <Toaster
      theme={theme}
      {...(narrow ? belowBars : atBottom)}
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
