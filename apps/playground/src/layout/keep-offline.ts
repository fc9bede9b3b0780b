/** How long the page's own loading has priority, in milliseconds. */
const AFTER_MS = 3_000;

/** Registers the service worker, which keeps the page for offline use, once the page has loaded. */
export function keepOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const register = (): void => {
    // Without a service worker, for example because the browser's settings forbid it, the page works but needs a
    // network.
    navigator.serviceWorker.register(new URL('sw.js', document.baseURI)).catch(() => {});
  };
  window.addEventListener('load', () => setTimeout(register, AFTER_MS), { once: true });
}
