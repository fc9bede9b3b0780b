import { createMemoryStore } from '@cueline/durable';
import { testSessions } from './support/session-suite.ts';

testSessions('memory', createMemoryStore);
