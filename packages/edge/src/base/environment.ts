import type { Environment } from '@cueline/core/models';

const variableName = /^[A-Z][A-Z0-9_]*$/;

/** The third argument that platforms such as Workers pass. */
export type RouteContext = { waitUntil?: (work: Promise<void>) => void };

/**
 * Returns the variables that a platform passes with a request, or those of the process, never a mixture: the second
 * argument if the third one is a Worker's context, or if a name in it is that of a variable. Other platforms pass
 * another object: Next the parameters of a path, Netlify a context with texts such as `ip`, Bun and Deno their own.
 */
export function environmentOf(passed: unknown, context?: RouteContext): Environment {
  if (typeof passed === 'object' && passed !== null && (isWorker(context) || hasVariable(passed))) {
    // a Worker's environment has bindings, too, which are not text
    return passed as Environment;
  }
  return (globalThis as { process?: { env?: Environment } }).process?.env ?? {};
}

function isWorker(context: RouteContext | undefined): boolean {
  return typeof context?.waitUntil === 'function';
}

function hasVariable(passed: object): boolean {
  return Object.entries(passed).some(([name, value]) => typeof value === 'string' && variableName.test(name));
}
