import { createMemoryStore, inProcessDriver } from '@cueline/durable';
import { driverSuite } from './support/driver-suite.ts';

const store = createMemoryStore();

driverSuite('in process', {
  createDriver: (options) => inProcessDriver({ onError: () => {}, ...options }),
  createStore: async () => store,
});
