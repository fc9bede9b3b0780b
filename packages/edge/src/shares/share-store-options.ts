import type { IdentifyOptions } from '../http/identify.ts';
import type { LimitStore } from '../limits/limit-store.ts';
import type { ShareStorage } from './share-storage.ts';

/** How much may be shared, and for how long it is kept. */
export type ShareLimits = {
  /** Bytes of one share, as it is sent: compressed. Default 1 MiB. Unpacked, it has the limits of a link. */
  bodyBytes: number;
  /** Shares per minute for each subject; default 10. */
  rpm: number;
  /** Shares of one subject that are being sent at once; default 4. */
  concurrent: number;
  /** Bytes per day (UTC) for each subject; default 20 MiB. */
  dailyBytes: number;
  /**
   * Shares that one address opens, or tries to delete, per minute; default 300. Without `address` all callers
   * together have twenty times as many.
   */
  readsPerMinute: number;
  /** How long a share is kept, in ms; default 30 days. */
  lifetimeMs: number;
};

/** The events of a share store, without the content of a share, or the id that gives access to it. */
export type ShareStoreEvent =
  | { type: 'put'; subject: string; bytes: number; expiresAt: number }
  | { type: 'get'; found: boolean; bytes: number }
  | { type: 'delete' }
  | { type: 'refused'; status: number; code: string; method: string; subject?: string }
  /** A fault of the server itself, such as a failing storage. Clients do not see it. */
  | { type: 'failed'; error: unknown };

/** Options of {@link createShareStore}. */
export type ShareStoreOptions = IdentifyOptions & {
  /** The path of the store; default `/api/shares`. */
  basePath?: string | undefined;
  /** Stores the shares. Default: the memory of this process. */
  storage?: ShareStorage | undefined;
  /** The origins whose pages may share and open shares, such as `https://play.example`. */
  origins: readonly string[];
  /** How much may be shared, and for how long. Each limit has a default. */
  limits?: Partial<ShareLimits> | undefined;
  /** Counts for all instances of a server. Default: the memory of this process. */
  store?: LimitStore | undefined;
  /** Called with shares, reads, deletions, refusals and failures, for logs and alerts. */
  onEvent?: ((event: ShareStoreEvent) => unknown) | undefined;
  /** The clock, in ms since 1970. */
  now?: (() => number) | undefined;
  /** Allows `'*'` as an origin, for pages without cookies. */
  development?: boolean | undefined;
};
