/** For the `ref` of a control that appears because the user asked for it: it takes the focus. */
export function focusFirst(element: HTMLElement | null): void {
  element?.focus();
}
