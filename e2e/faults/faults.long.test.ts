import { testFaults } from './fault-suite.ts';

testFaults(() => true);
