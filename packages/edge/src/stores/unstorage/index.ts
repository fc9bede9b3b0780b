export type { ItemStorage } from './item-access.ts';
export { createStorageRuns, type StorageRunsOptions } from './storage-runs.ts';
export { createStorageShares, type StorageSharesOptions } from './storage-shares.ts';
