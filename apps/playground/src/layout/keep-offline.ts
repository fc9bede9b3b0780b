/** How long the page still has priority once it has loaded, for what it loads ahead and its checks, in milliseconds. */
const AFTER_MS = 3_000;

/**
 * Registers the service worker, which keeps the page for offline use, some time after the page and what it waits for
 * have loaded: it fetches and stores all files, which takes long on a slow computer.
 */
export function keepOffline(loaded: Promise<void>): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const register = (): void => {
    // Without a service worker, for example because the browser's settings forbid it, the page works but needs a
    // network.
    navigator.serviceWorker.register(new URL('sw.js', document.baseURI)).catch(() => {});
  };
  const pageLoaded = new Promise<unknown>((resolve) => {
    if (document.readyState === 'complete') resolve(undefined);
    else window.addEventListener('load', resolve, { once: true });
  });
  void Promise.all([pageLoaded, loaded]).then(() => setTimeout(register, AFTER_MS));
}
