export { createDurable, type Durable, type DurableOptions } from './create-durable.ts';
export type { AdvanceJob, DurableDriver, DurableWorker } from './driver.ts';
export type { GuardedRun, GuardedStep, RunGuard, StepOutcome } from './guard.ts';
export { inProcessDriver, type InProcessDriverOptions } from './in-process-driver.ts';
export { createMemoryStore } from './memory-store.ts';
export type {
  ClaimedRun,
  DurableStart,
  DurableStore,
  FoundRun,
  NewDurableRun,
  ReadEvents,
  RunOwner,
  RunQuery,
  StoredCommand,
} from './store.ts';
