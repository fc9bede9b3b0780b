import type { Environment } from '@cueline/core/models';

/** The third argument that platforms such as Workers pass. */
export type RouteContext = { waitUntil?: (work: Promise<void>) => void };

/**
 * Returns the variables that a platform such as Workers passes with a request, otherwise the process's. Bun and Deno
 * pass an object without variables instead.
 */
export function environmentOf(passed: unknown): Environment {
  if (
    typeof passed === 'object' &&
    passed !== null &&
    Object.values(passed).some((value) => typeof value === 'string')
  ) {
    // a Worker's environment has bindings, too, which are not text
    return passed as Environment;
  }
  return (globalThis as { process?: { env?: Environment } }).process?.env ?? {};
}
