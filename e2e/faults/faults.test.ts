import { testFaults } from './fault-suite.ts';

// A sample with faults of each kind; faults.long.test.ts has all of them. Heavy faults are not tested by route:
// there, the same code handles them as in process.
testFaults((index, path, fault) => index % 19 === 0 && !(fault.heavy === true && path === 'by route'));
