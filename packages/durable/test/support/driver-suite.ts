import { testChanges } from './driver-changes.ts';
import { testContract } from './driver-contract.ts';
import { testKilledWorkers, testKilledWorkersLong } from './driver-kills.ts';
import { endingRuns, type DriverSetup } from './driver-setup.ts';

// The tests that every driver has to pass. To test a driver, call this in a test file:
//
//   driverSuite('my engine', {
//     createDriver: (options) => myDriver({ ...options, url }),   // of the engine that the test has started
//     createStore: async () => createRedisStore(client),          // all stores have the same content
//     workers: { module: new URL('support/my-worker.ts', import.meta.url), argument: url, many: true },
//   });
//
// The tests start, kill and freeze processes, which load the module of `workers`. It exports
//
//   export const openWorker: OpenWorker = async (url) => ({ driver: myDriver({ url }), store: … });
//
// with the store of the tests, which several processes must be able to open. Without `workers`, the tests that need
// processes are skipped. `longDriverSuite` has the tests that take longest, and is for a file `*.long.test.ts`.

/** The tests that take about ten seconds. */
export function driverSuite(name: string, given: DriverSetup): void {
  const setup = endingRuns(given);
  testContract(name, setup);
  testChanges(name, setup);
  if (setup.workers !== undefined) testKilledWorkers(name, setup, setup.workers);
}

/** The tests that take minutes: processes are killed at every place. */
export function longDriverSuite(name: string, given: DriverSetup): void {
  const setup = endingRuns(given);
  if (setup.workers !== undefined) testKilledWorkersLong(name, setup, setup.workers);
}
