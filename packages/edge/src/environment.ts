import type { Environment } from '@cueline/core/models';

/**
 * The variables that a platform passes with a request, as Workers do; otherwise the process's. Bun and Deno pass
 * something of their own instead, which has no text in it.
 */
export function environmentOf(passed: unknown): Environment {
  if (
    typeof passed === 'object' &&
    passed !== null &&
    Object.values(passed).some((value) => typeof value === 'string')
  ) {
    // a Worker's has bindings, too, and nobody who looks for a variable takes one for it
    return passed as Environment;
  }
  return (globalThis as { process?: { env?: Environment } }).process?.env ?? {};
}
