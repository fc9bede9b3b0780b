import { testFaults } from './fault-suite.ts';

// A sample, which has something of each kind; faults.long.test.ts has all of them. A heavy fault is not tried by route:
// there the same code meets it as in process.
testFaults((index, path, fault) => index % 11 === 0 && !(fault.heavy === true && path === 'by route'));
