import { createMemoryStore } from '@cueline/durable';
import { testStore } from './support/store-suite.ts';

const store = createMemoryStore();

testStore('memory', async () => store);
