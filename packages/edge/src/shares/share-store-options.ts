import type { IdentifyOptions } from '../http/identify.ts';
import type { LimitStore } from '../limits/limit-store.ts';
import type { ShareStorage } from './share-storage.ts';

/** How much may be shared, and for how long it is kept. */
export type ShareLimits = {
  /** Of one share, as it is sent: compressed. Default 1 MiB. What it unpacks to may be as much as a link's. */
  bodyBytes: number;
  /** Shares a minute for each subject; default 10. */
  rpm: number;
  /** Shares of one subject that are being sent at once; default 4. */
  concurrent: number;
  /** Bytes a day (UTC) for each subject; default 20 MiB. */
  dailyBytes: number;
  /**
   * Shares that one address opens, or tries to delete, in a minute; default 300. Without `address` all callers together
   * have 20 times as many.
   */
  readsPerMinute: number;
  /** How long a share is kept, in ms; default 30 days. */
  lifetimeMs: number;
};

/** What happens at a share store, without a word of what is shared, or the id that would give it to the reader. */
export type ShareStoreEvent =
  | { type: 'put'; subject: string; bytes: number; expiresAt: number }
  | { type: 'get'; found: boolean; bytes: number }
  | { type: 'delete' }
  | { type: 'refused'; status: number; code: string; method: string; subject?: string }
  /** Something of the server's own failed, such as the storage. Clients are not told what it was. */
  | { type: 'failed'; error: unknown };

/** Options of {@link createShareStore}. */
export type ShareStoreOptions = IdentifyOptions & {
  /** Where the store stands; default `/api/shares`. */
  basePath?: string | undefined;
  /** Where shares are kept. Default: the memory of this process. */
  storage?: ShareStorage | undefined;
  /** The origins whose pages may share and open, such as `https://play.example`. */
  origins: readonly string[];
  limits?: Partial<ShareLimits> | undefined;
  /** Counts for all instances of a server. Default: the memory of this process. */
  store?: LimitStore | undefined;
  onEvent?: ((event: ShareStoreEvent) => unknown) | undefined;
  /** The clock, in ms since 1970. */
  now?: (() => number) | undefined;
  /** Allows `'*'` as an origin, for pages without their cookies. */
  development?: boolean | undefined;
};
