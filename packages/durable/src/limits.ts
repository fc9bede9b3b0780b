import type { LimitOptions } from '@cueline/core';
import type { DurableStart } from './store.ts';

/** Returns the limits of a stored start. `Infinity` means no limit, and JSON stores it as `null`. */
export function limitsOf({ limits }: DurableStart): LimitOptions | undefined {
  if (limits === undefined) return undefined;
  // JSON has no member that is undefined
  const stored = limits as Record<string, number | null>;
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, value ?? Infinity]));
}
