import { useInsertionEffect, useRef } from 'react';

/** A read-only box. */
export type LatestRef<Value> = { readonly current: Value };

/**
 * A box with the value of the last committed render. It is filled before any other effect runs, and never
 * during a render, because React may discard one.
 */
export function useLatest<Value>(value: Value): LatestRef<Value> {
  const latest = useRef(value);
  useInsertionEffect(() => {
    latest.current = value;
  });
  return latest;
}
