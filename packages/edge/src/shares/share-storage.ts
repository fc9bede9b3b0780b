/** A share, as a storage keeps it. */
export type StoredShare = {
  body: Uint8Array;
  /** When it expires, in ms since 1970. */
  expiresAt: number;
  /** Who may delete it: lowercase hexadecimal digits. If missing, it stays until it expires. */
  owner?: string;
};

/**
 * Stores shares for {@link createShareStore}. There is no list of them: having an id is the permission to read the
 * share.
 */
export type ShareStorage = {
  /**
   * Keeps a share until it expires. Returns false if an unexpired share has the id, which stays unchanged.
   * Throws if it cannot be kept, for example without room.
   */
  put(id: string, share: StoredShare): Promise<boolean>;
  /** The stored bytes, or undefined: never stored, expired, or not a possible id. */
  get(id: string): Promise<Uint8Array | undefined>;
  /** Deletes a share of this owner, and no other. False if there is none. */
  remove(id: string, owner: string): Promise<boolean>;
};
