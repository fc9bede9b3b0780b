import type { Environment } from '@cueline/core/models';

const variableName = /^[A-Z][A-Z0-9_]*$/;

/** The third argument that platforms such as Workers pass. */
export type RouteContext = { waitUntil?: (work: Promise<void>) => void };

/**
 * Returns the variables that a platform such as Workers passes with a request, otherwise the process's. Other platforms
 * pass another object: Next the parameters of a path, Netlify a context with texts such as `ip`, Bun and Deno their own.
 */
export function environmentOf(passed: unknown): Environment {
  if (
    typeof passed === 'object' &&
    passed !== null &&
    Object.entries(passed).some(([name, value]) => typeof value === 'string' && variableName.test(name))
  ) {
    // a Worker's environment has bindings, too, which are not text
    return passed as Environment;
  }
  return (globalThis as { process?: { env?: Environment } }).process?.env ?? {};
}
