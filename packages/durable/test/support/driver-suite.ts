import { testContract } from './driver-contract.ts';
import { testChanges } from './driver-changes.ts';
import { testKilledWorkers, testKilledWorkersLong } from './driver-kills.ts';
import type { DriverSetup } from './driver-setup.ts';

// What every driver has to do. To plug one in, call this in a test file:
//
//   driverSuite('my engine', {
//     createDriver: (options) => myDriver({ ...options, url }),   // of the engine that the test has started
//     createStore: async () => createRedisStore(client),          // of one content, whichever is used
//     workers: { module: new URL('support/my-worker.ts', import.meta.url), argument: url, many: true },
//   });
//
// The module of `workers` is loaded by processes that the tests start, kill and freeze. It exports
//
//   export const openWorker: OpenWorker = async (url) => ({ driver: myDriver({ url }), store: … });
//
// with the store of the tests, which must be reachable from several processes. Without `workers`, the cases that need
// processes are left out. `longDriverSuite` is for a file `*.long.test.ts`, and has the cases that take longest.

/** Tests a driver, in some ten seconds. */
export function driverSuite(name: string, setup: DriverSetup): void {
  testContract(name, setup);
  testChanges(name, setup);
  if (setup.workers !== undefined) testKilledWorkers(name, setup, setup.workers);
}

/** The cases that take minutes: a process that is killed at every place. */
export function longDriverSuite(name: string, setup: DriverSetup): void {
  if (setup.workers !== undefined) testKilledWorkersLong(name, setup, setup.workers);
}
