import { startTransition, useEffect, useRef, useState } from 'react';

/**
 * A value that changes at every frame, for a part of the page that takes longer than a frame to draw. React draws a new
 * value in pieces, between urgent updates, and the next one only after that. It skips values in between, and always
 * draws the last one.
 */
export function useOneByOne<Value>(value: Value): Value {
  const [drawn, draw] = useState(value);
  const begun = useRef(value);
  useEffect(() => {
    const isUnderWay = begun.current !== drawn;
    if (isUnderWay || value === drawn) return;
    begun.current = value;
    startTransition(() => draw(value));
  }, [value, drawn]);
  return drawn;
}
