import { useInsertionEffect, useRef } from 'react';

/** A box to look into, not to write to. */
export type LatestRef<Value> = { readonly current: Value };

/**
 * A box with the value of the last render that was shown. It is filled before any other effect runs, and never while
 * rendering: a render may be thrown away.
 */
export function useLatest<Value>(value: Value): LatestRef<Value> {
  const latest = useRef(value);
  useInsertionEffect(() => {
    latest.current = value;
  });
  return latest;
}
