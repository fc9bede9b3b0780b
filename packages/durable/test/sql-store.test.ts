import { PGlite } from '@electric-sql/pglite';
import { createSqlStore } from '@cueline/durable/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithPostgres } from './support/postgres.ts';
import { testStore } from './support/store-suite.ts';

const client = new PGlite();
// its database is compiled first
beforeAll(() => client.waitReady, 120_000);
afterAll(() => client.close());

testStore(
  'PGlite',
  async () => createSqlStore(client),
  async (commands) => {
    let left = commands;
    return createSqlStore({
      async query(text, values) {
        if (left-- <= 0) throw new Error('The client is cut off.');
        return client.query(text, values);
      },
    });
  },
);

describeWithPostgres('runs in Postgres', (connect) => {
  testStore('Postgres', async () => createSqlStore(connect()));

  test('instances that start at the same time create the tables once', async () => {
    await connect().query('DROP TABLE cueline_commands, cueline_events, cueline_runs');
    const stores = Array.from({ length: 8 }, () => createSqlStore(connect()));
    expect(await Promise.all(stores.map((store) => store.unfinished()))).toEqual(stores.map(() => []));
  });
});

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
