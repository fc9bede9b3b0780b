/** Reports whether there is a network. */
export type Connectivity = {
  isOnline(): boolean;
  /** Calls `listener` when that may have changed. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
};

type BrowserHost = {
  navigator?: { onLine?: unknown };
  addEventListener?: (type: 'online', listener: () => void) => void;
  removeEventListener?: (type: 'online', listener: () => void) => void;
};

/** The browser's own report. Without one, as in Node, there is a network. */
export const browserConnectivity: Connectivity = {
  isOnline: () => (globalThis as BrowserHost).navigator?.onLine !== false,
  subscribe(listener) {
    const host = globalThis as BrowserHost;
    host.addEventListener?.('online', listener);
    return () => host.removeEventListener?.('online', listener);
  },
};
