import { PGlite } from '@electric-sql/pglite';
import { createSqlStore } from '@cueline/durable/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testStore } from './support/store-suite.ts';

const client = new PGlite();
// its database is compiled first
beforeAll(() => client.waitReady, 120_000);
afterAll(() => client.close());

testStore('PGlite', async () => createSqlStore(client));

test('tables that could not be created are created at the next call', async () => {
  let fails = 1;
  const store = createSqlStore({
    query(text, values) {
      if (fails-- > 0) throw new Error('away');
      return client.query(text, values);
    },
  });
  await expect(store.unfinished()).rejects.toThrow('away');
  expect(await store.unfinished()).toBeInstanceOf(Array);
});
