'use client';

export {
  indexedDbStorage,
  type IndexedDbStorage,
  type IndexedDbStorageOptions,
  type StoredRun,
} from './indexed-db-storage.ts';
export type { StorageFailure } from './storage-error.ts';
