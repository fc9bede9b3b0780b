import { testFaults } from './fault-suite.ts';

// a sample, which has something of each kind; faults.long.test.ts has all of them
testFaults((index) => index % 11 === 0);
