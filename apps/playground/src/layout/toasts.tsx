import { useEffect, useRef, type CSSProperties } from 'react';
import { toast, Toaster, type ToasterProps } from 'sonner';
import { useNarrow, useTheme } from '../state/theme.ts';
import { drawToasts } from '../ui/toast.ts';

/** Below the top bar, the tabs and the bar of the pane, or above the tabs of the views. */
const offsets = { top: 168, bottom: 72 };
const onPhone: ToasterProps = { position: 'top-center', offset: offsets, mobileOffset: offsets };
/** In the element around it: above the editor's line of problems, or below the header of the pane. */
const inPane: ToasterProps = {
  position: 'bottom-left',
  offset: { bottom: 40, top: 52, left: 12 },
  style: { position: 'absolute', width: 'min(356px, 100% - 24px)', '--width': '100%' } as CSSProperties,
};

/** The space that a message with two lines takes, in pixels. */
const ROOM = { width: 370, height: 100 };
/** A taller element, such as a pane, is not a control. */
const TALLEST_CONTROL = 200;

/**
 * Short messages over the page: on a wide page at the bottom of the left pane, which contains this component, and on
 * a phone below its bars. There they cover neither the status of a run nor its newest row. If the control that the
 * user has just used is there, a message appears at the other end.
 */
export function Toasts() {
  const theme = useTheme();
  const narrow = useNarrow();
  const mark = useRef<HTMLSpanElement>(null);
  // its child is listening by then
  useEffect(() => {
    drawToasts(toast, () => {
      if (narrow) return coversFocus(offsets.top, 0) ? 'bottom-center' : 'top-center';
      const pane = mark.current?.parentElement?.getBoundingClientRect();
      if (pane === undefined) return undefined;
      return coversFocus(pane.bottom - 40 - ROOM.height, pane.left) ? 'top-left' : 'bottom-left';
    });
  }, [narrow]);
  return (
    <>
      <span ref={mark} hidden />
      <Toaster
        theme={theme}
        {...(narrow ? onPhone : inPane)}
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
    </>
  );
}

/** True if a message with its top edge here would cover the control that has the focus. */
function coversFocus(top: number, left: number): boolean {
  const focused = document.activeElement?.getBoundingClientRect();
  if (focused === undefined || focused.height > TALLEST_CONTROL) return false;
  const isBeside = focused.left > left + ROOM.width || focused.right < left;
  return !isBeside && focused.bottom > top && focused.top < top + ROOM.height;
}
