export { createDurable, type Durable, type DurableOptions } from './create-durable.ts';
export type { AdvanceJob, DurableDriver, DurableWorker } from './driver.ts';
export { inProcessDriver, type InProcessDriverOptions } from './in-process-driver.ts';
export { createMemoryStore } from './memory-store.ts';
export type {
  ClaimedRun,
  DurableStart,
  DurableStore,
  NewDurableRun,
  ReadEvents,
  StoredCommand,
} from './store.ts';
