/** True in a page or one of its workers. Only browsers say `Mozilla/…`; runtimes of servers name themselves. */
export function isBrowser(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: unknown } };
  return typeof navigator?.userAgent === 'string' && navigator.userAgent.startsWith('Mozilla/');
}

/** Returns the origin of the page, or of the page whose worker this is; undefined elsewhere. */
export function pageOrigin(): string | undefined {
  const { location } = globalThis as { location?: { origin?: unknown } };
  return isBrowser() && typeof location?.origin === 'string' ? location.origin : undefined;
}
