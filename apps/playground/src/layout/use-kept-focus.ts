import { useEffect } from 'react';

/** Panes and groups, without the live region that shows short messages: it must not take the focus. */
const SECTIONS = 'section:not([aria-live])';
/** The placeholder of a pane whose code is loading. */
const LOADING = '[aria-busy]:not(section *)';
/** The parts of the page that take the focus when a focused element inside them is removed. */
const PARTS = `${SECTIONS}, [role=dialog], main`;
/** How long a closing part has to move the focus elsewhere, in milliseconds. */
const GRACE_MS = 80;
/** How many parts are remembered, including those around a dialog's opener. */
const MAX_PARTS = 8;

/**
 * Keeps the focus in its part of the page. A button that is removed or disabled when it is pressed would lose the
 * focus, and users of a keyboard or a screen reader would lose their place.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** The element that last had the focus; `parts` are those around it, from the inside. */
    let last: Element | undefined;
    let parts: readonly HTMLElement[] = [];
    let timer = 0;
    const note = ({ target }: FocusEvent): void => {
      if (!(target instanceof Element)) return;
      last = target;
      // an open menu belongs to the part of its button, which a mouse does not focus
      const menu = target.closest('[role=menu]');
      const from =
        menu === null ? target : document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
      parts = [...new Set([...partsAround(from), ...parts])].slice(0, MAX_PARTS);
    };
    const restore = (): void => {
      timer = 0;
      if (document.activeElement !== document.body || last === undefined) return;
      // if the element is still there, the user went elsewhere
      const isThere = last.isConnected && last.checkVisibility() && !last.matches(':disabled');
      const part = isThere ? undefined : paneOf(parts.find(isShown));
      // a pane that is loading takes the focus once it is there, which is another change
      if (part?.matches(LOADING) === true) return;
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

function isShown(part: HTMLElement): boolean {
  return part.isConnected && part.checkVisibility();
}

/**
 * The part that takes the focus: the first pane in place of `main`, whose outline the panes cover. While panes load,
 * it is the placeholder of one of them.
 */
function paneOf(part: HTMLElement | undefined): HTMLElement | undefined {
  if (part?.matches('main') !== true) return part;
  const shown = [...part.querySelectorAll<HTMLElement>(`${SECTIONS}, ${LOADING}`)].filter(isShown);
  return shown.find((one) => one.matches(LOADING)) ?? shown[0] ?? part;
}

/** The parts that contain an element, from the inside; a part that has the focus itself is the first one. */
function partsAround(element: Element | null): HTMLElement[] {
  const part = element?.closest<HTMLElement>(PARTS) ?? undefined;
  return part === undefined ? [] : [part, ...partsAround(part.parentElement)];
}
