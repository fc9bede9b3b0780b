import { useRef, type PointerEvent, type RefObject } from 'react';

type DragOptions = {
  /** The line along which the dot moves. */
  trackRef: RefObject<HTMLElement | null>;
  /** Where the dot is, from 0 to 1. */
  readPart(): number;
  /** Called when the user starts or stops dragging. */
  onDrag(isDragged: boolean): void;
  /** Called with each place to which the user drags the dot, from 0 to 1. */
  onMove(part: number): void;
};

type DragHandlers = {
  onPointerDown(event: PointerEvent): void;
  onPointerMove(event: PointerEvent): void;
  onLostPointerCapture(): void;
};

/**
 * Lets the pointer move the dot of a slider, by dragging it or by pressing anywhere on the track. Returns handlers for the
 * element around the track. It is wider than the track by half the dot on each side.
 */
export function useDrag({ trackRef, readPart, onDrag, onMove }: DragOptions): DragHandlers {
  /** While the user drags: how far the pointer is to the right of the middle of the dot, in pixels. */
  const grip = useRef<number>(undefined);
  const move = (event: PointerEvent): void => {
    const { left, width } = trackRef.current!.getBoundingClientRect();
    onMove(Math.max(0, Math.min(1, (event.clientX - grip.current! - left) / width)));
  };
  return {
    onPointerDown(event) {
      const element = event.currentTarget;
      element.setPointerCapture(event.pointerId);
      const { left, width } = trackRef.current!.getBoundingClientRect();
      const fromDot = event.clientX - left - readPart() * width;
      const isOnDot = Math.abs(fromDot) <= left - element.getBoundingClientRect().left;
      grip.current = isOnDot ? fromDot : 0;
      onDrag(true);
      if (!isOnDot) move(event);
    },
    onPointerMove(event) {
      if (grip.current === undefined) return;
      // the panels of the page would look for a border under the pointer
      event.stopPropagation();
      move(event);
    },
    onLostPointerCapture() {
      grip.current = undefined;
      onDrag(false);
    },
  };
}
