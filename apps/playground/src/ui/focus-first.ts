/** For the `ref` of a control that comes because the person asked for it: it has the focus from the start. */
export function focusFirst(element: HTMLElement | null): void {
  element?.focus();
}
