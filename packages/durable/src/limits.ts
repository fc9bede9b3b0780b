import type { Limits } from '@cueline/core';
import type { DurableStart } from './store.ts';

/** Returns the limits of a stored start. JSON has no `Infinity`, which stands for no limit, and writes `null` for it. */
export function limitsOf({ limits }: DurableStart): Partial<Limits> | undefined {
  if (limits === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]: [string, number | null]) => [name, value ?? Infinity]),
  );
}
