/** True in a page or one of its workers. Only browsers say `Mozilla/…`; servers' runtimes name themselves. */
export function isBrowser(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: unknown } };
  return typeof navigator?.userAgent === 'string' && navigator.userAgent.startsWith('Mozilla/');
}
