import type { Limits } from '@cueline/core';
import type { DurableStart } from './store.ts';

/** Returns the limits of a stored start. `Infinity` means no limit, and JSON stores it as `null`. */
export function limitsOf({ limits }: DurableStart): Partial<Limits> | undefined {
  if (limits === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]: [string, number | null]) => [name, value ?? Infinity]),
  );
}
