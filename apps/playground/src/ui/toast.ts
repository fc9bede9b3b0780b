import type { ExternalToast, toast as draw } from 'sonner';
import { visibleText } from './visible-text.ts';

type Draw = typeof draw;
type Position = NonNullable<ExternalToast['position']>;
type Show = (text: string, options?: ExternalToast) => string | number;

let isDrawn: (draw: Draw) => void = () => {};
let drawn = new Promise<Draw>((resolve) => (isDrawn = resolve));
/** Where a message does not cover the control that has the focus. */
let placeNow: () => Position | undefined = () => undefined;
let shown = 0;

function show(kind: 'message' | 'success' | 'warning' | 'error'): Show {
  return (text, options) => {
    const id = options?.id ?? `toast-${++shown}`;
    const position = placeNow();
    const placed = { ...options, id, ...(position !== undefined && { position }) };
    // it may have the name of a script, a run or a file that another user has chosen
    void drawn.then((toast) => toast[kind](visibleText(text), placed));
    return id;
  };
}

/**
 * Shows a short message over the page. The component that draws messages loads after the page; until then, messages
 * wait.
 */
export const toast: Show &
  Record<'success' | 'warning' | 'error', Show> & { dismiss(id: string | number): void } = Object.assign(
  show('message'),
  {
    success: show('success'),
    warning: show('warning'),
    error: show('error'),
    dismiss: (id: string | number) => void drawn.then((loaded) => loaded.dismiss(id)),
  },
);

/** The id of the message that the browser stores nothing, or no more. */
export const storageMessage = 'storage';

/** Says what was deleted, and offers for ten seconds to undo that. */
export function offerUndo(text: string, undo: () => unknown): void {
  toast(text, { duration: 10_000, action: { label: 'Undo', onClick: () => void undo() } });
}

/**
 * Shows waiting and later messages with `draw`, whose component is on the page now. `place` returns the position of a
 * message that appears now. A later call replaces both for the messages after it.
 */
export function drawToasts(draw: Draw, place: () => Position | undefined = () => undefined): void {
  placeNow = place;
  isDrawn(draw);
  drawn = Promise.resolve(draw);
}
