/**
 * For the `ref` of a control that appears because the user asked for it: it takes the focus. The text of a field,
 * such as a name to change, is selected.
 */
export function focusFirst(element: HTMLElement | null): void {
  element?.focus();
  if (element instanceof HTMLInputElement) element.select();
}

/**
 * For the `ref` of content that loads into an open popover: its checked choice or its first control takes the focus,
 * because the popover had nothing to focus when it opened.
 */
export function focusWithin(element: HTMLElement | null): void {
  if (element === null || element.contains(document.activeElement)) return;
  const checked = element.querySelector<HTMLElement>('[role=radio][aria-checked=true]');
  const control = checked ?? element.querySelector<HTMLElement>('button, input, textarea, a[href]');
  control?.focus();
}
