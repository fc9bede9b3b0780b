import { useInsertionEffect, useRef, type RefObject } from 'react';

/**
 * A box with the value of the last render that was shown. It is filled before any other effect runs, and never while
 * rendering: a render may be thrown away.
 */
export function useLatest<Value>(value: Value): Readonly<RefObject<Value>> {
  const latest = useRef(value);
  useInsertionEffect(() => {
    latest.current = value;
  });
  return latest;
}
