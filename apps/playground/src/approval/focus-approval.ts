/** Moves the focus to the waiting card, if there is one. */
export function focusApproval(): void {
  document.querySelector<HTMLElement>('[data-pending]')?.focus();
}
