/** What is shared, as a storage keeps it. */
export type StoredShare = {
  body: Uint8Array;
  /** When it is forgotten, in ms since 1970. */
  expiresAt: number;
  /** Who may delete it: lowercase hexadecimal digits. Missing: it stays until it expires. */
  owner?: string;
};

/** Where shares are kept, for {@link createShareStore}. There is no list of them: whoever has an id has the share. */
export type ShareStorage = {
  /**
   * Keeps a share until it expires. False where the id is taken, by whatever has not expired: what is there stays as
   * it is. Throws where it cannot be kept, such as for want of room.
   */
  put(id: string, share: StoredShare): Promise<boolean>;
  /** The bytes that were put, or undefined: never put, expired, or an id that cannot be one. */
  get(id: string): Promise<Uint8Array | undefined>;
  /** Deletes a share of this owner, and no other. False where there is none. */
  remove(id: string, owner: string): Promise<boolean>;
};
