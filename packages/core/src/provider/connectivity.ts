/** Says whether there is a network at all. */
export type Connectivity = {
  isOnline(): boolean;
  /** Calls `listener` when that may have changed. Returns the way to unsubscribe. */
  subscribe(listener: () => void): () => void;
};

type BrowserHost = {
  navigator?: { onLine?: unknown };
  addEventListener?: (type: 'online', listener: () => void) => void;
  removeEventListener?: (type: 'online', listener: () => void) => void;
};

/** What the browser says. Where nobody says anything, as in Node, there is a network. */
export const browserConnectivity: Connectivity = {
  isOnline: () => (globalThis as BrowserHost).navigator?.onLine !== false,
  subscribe(listener) {
    const host = globalThis as BrowserHost;
    host.addEventListener?.('online', listener);
    return () => host.removeEventListener?.('online', listener);
  },
};
