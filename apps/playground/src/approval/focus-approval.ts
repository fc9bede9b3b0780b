import { useInspection } from '../state/inspection.ts';

/** Moves the focus to the waiting card, if there is one. An earlier moment, which hides the card, is left. */
export function focusApproval(): void {
  const card = document.querySelector<HTMLElement>('[data-pending]');
  if (card === null) return;
  const { moment, goTo } = useInspection.getState();
  if (moment === undefined) return card.focus();
  goTo(undefined);
  // once the card is drawn
  requestAnimationFrame(() => card.focus());
}
