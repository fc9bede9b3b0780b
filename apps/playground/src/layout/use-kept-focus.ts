import { useEffect } from 'react';

/** The parts of the page that take the focus in place of what is gone from them. */
const PARTS = 'section, [role=dialog], main';
/** How long a part that closes has to give the focus to something else, in milliseconds. */
const GRACE_MS = 80;
/** How many parts are remembered: those around a dialog's opener, too. */
const MOST_PARTS = 8;

/**
 * Keeps the focus in its part of the page. A button that is gone or disabled once it is pressed would lose it, and with it
 * the user of a keyboard or of a screen reader the place.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** What had the focus last, and what is around it, from the inside. */
    let last: Element | undefined;
    let parts: readonly HTMLElement[] = [];
    let timer = 0;
    const note = ({ target }: FocusEvent): void => {
      if (!(target instanceof Element)) return;
      last = target;
      parts = [...new Set([...partsAround(target), ...parts])].slice(0, MOST_PARTS);
    };
    const restore = (): void => {
      timer = 0;
      if (document.activeElement !== document.body || last === undefined) return;
      // still there: the user went elsewhere
      const isThere = last.isConnected && last.checkVisibility() && !last.matches(':disabled');
      const part = isThere ? undefined : parts.find((it) => it.isConnected && it.checkVisibility());
      last = undefined;
      if (part === undefined) return;
      if (!part.hasAttribute('tabindex')) part.tabIndex = -1;
      part.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(() => {
      if (last !== undefined && timer === 0 && document.activeElement === document.body) {
        timer = window.setTimeout(restore, GRACE_MS);
      }
    });
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    document.addEventListener('focusin', note);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener('focusin', note);
    };
  }, []);
}

function partsAround(element: Element): HTMLElement[] {
  const part = element.parentElement?.closest<HTMLElement>(PARTS) ?? undefined;
  return part === undefined ? [] : [part, ...partsAround(part)];
}
