/** True if the user has asked the system for less motion. The CSS rules for it are in `styles.css`. */
export function prefersReducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** How often a running counter is drawn, in milliseconds: with less motion, once a second. */
export function tickInterval(): number {
  return prefersReducedMotion() ? 1_000 : 100;
}
