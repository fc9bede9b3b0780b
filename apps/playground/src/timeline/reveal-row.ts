/** The height of the line with the ticks, which stays at the top, in pixels. */
export const HEADER = 24;

/** Scrolls a row into view, below the line with the ticks. All rows have the same height. */
export function revealRow(scroller: HTMLElement | null, index: number, rowHeight: number): void {
  if (scroller === null) return;
  const top = index * rowHeight;
  const bottom = HEADER + top + rowHeight;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (bottom > scroller.scrollTop + scroller.clientHeight) {
    scroller.scrollTop = bottom - scroller.clientHeight;
  }
}
