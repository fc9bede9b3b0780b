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
  onLostPointerCapture(event: PointerEvent): void;
};

/** The pointer that drags. */
type Held = {
  pointerId: number;
  /** How far it is to the right of the middle of the dot, in pixels. */
  offset: number;
};

/**
 * Lets a pointer move the dot of a slider: it drags the dot, or presses anywhere on the track. Returns handlers for the
 * element around the track, which is wider than the track by half the dot on each side.
 */
export function useDrag({ trackRef, readPart, onDrag, onMove }: DragOptions): DragHandlers {
  const held = useRef<Held>(undefined);
  const move = ({ clientX }: PointerEvent): void => {
    const { left, width } = trackRef.current!.getBoundingClientRect();
    onMove(Math.max(0, Math.min(1, (clientX - held.current!.offset - left) / width)));
  };
  return {
    onPointerDown(event) {
      // a second finger moves nothing
      if (held.current !== undefined) return;
      const { currentTarget, clientX, pointerId } = event;
      const { left, width } = trackRef.current!.getBoundingClientRect();
      const fromDot = clientX - left - readPart() * width;
      const isOnDot = Math.abs(fromDot) <= left - currentTarget.getBoundingClientRect().left;
      currentTarget.setPointerCapture(pointerId);
      held.current = { pointerId, offset: isOnDot ? fromDot : 0 };
      onDrag(true);
      if (!isOnDot) move(event);
    },
    onPointerMove(event) {
      if (event.pointerId !== held.current?.pointerId) return;
      // otherwise the resizable panels check whether the pointer is on one of their borders
      event.stopPropagation();
      move(event);
    },
    onLostPointerCapture({ pointerId }) {
      if (pointerId !== held.current?.pointerId) return;
      held.current = undefined;
      onDrag(false);
    },
  };
}
