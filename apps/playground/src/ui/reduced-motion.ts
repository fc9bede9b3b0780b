/** True if the user has asked the system for less motion. What is done in CSS is in `styles.css`. */
export function prefersReducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** How often what counts up is drawn again, in milliseconds: with less motion, once a second. */
export function tickInterval(): number {
  return prefersReducedMotion() ? 1_000 : 100;
}
