import { createSqlStore } from '@cueline/durable/sql';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll } from 'vitest';
import { testSessions } from './support/session-suite.ts';

const client = new PGlite();
// PGlite compiles its database first
beforeAll(() => client.waitReady, 120_000);
afterAll(() => client.close());

testSessions('PGlite', () => createSqlStore(client));
