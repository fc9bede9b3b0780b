import { definePrompt, reduceAll, type RunState } from '@cueline/core';
import { createDurable } from '@cueline/durable';
import { createSqlStore } from '@cueline/durable/sql';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { describeWithPostgres } from './support/postgres.ts';
import { planned } from './support/prompts.ts';
import { claim, testStore } from './support/store-suite.ts';

const client = new PGlite();
// PGlite compiles its database first
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

test('a claim of an ended run removes a command that came while the run ended', async () => {
  const store = createSqlStore(client);
  const end = { seq: 0, t: 0, type: 'run-end', outcome: 'done' } as const;
  const runId = `run-${crypto.randomUUID()}`;
  await store.create({ runId, start: { prompt: 'planDay' } });
  const claimed = await claim(store, runId);
  expect(await store.append(runId, claimed.epoch, [end])).toBe(true);
  await client.query(`INSERT INTO cueline_commands (run_id, name, body) VALUES ($1, 'stop', '{}')`, [runId]);
  expect(await store.claim(runId, -1)).toBe('ended');
  expect(await store.commands(runId)).toEqual([]);
});

test('tables that could not be created are created at the next call', async () => {
  let fails = 1;
  const store = createSqlStore({
    query(text, values) {
      if (fails-- > 0) throw new Error('The database is unavailable.');
      return client.query(text, values);
    },
  });
  await expect(store.unfinished()).rejects.toThrow('unavailable');
  expect(await store.unfinished()).toBeInstanceOf(Array);
});

test('U+0000 and half of a surrogate pair in texts of the model and a tool do not break a run', async () => {
  const text = 'nul \0 and half \ud800';
  const prompt = definePrompt(
    'nul',
    (letter) => {
      letter.$`Say it.`;
      letter.defTool('echo', 'Echo', z.object({ text: z.string() }), (input) => input.text, {
        needsApproval: true,
      });
    },
    { model: planned([[{ text }, { toolCall: { id: text, name: 'echo', input: { text } } }], text]) },
  );
  const durable = createDurable({ prompts: [prompt], store: createSqlStore(client) });
  const { signal } = new AbortController();
  const { runId } = await durable.begin({ definition: prompt, input: undefined });
  const state = async (): Promise<RunState> => reduceAll((await durable.read(runId, -1))?.events ?? []);
  expect(await durable.advance(runId, signal)).toMatchObject({ status: 'waiting' });
  const [{ approvalId } = { approvalId: '' }] = (await state()).approvals;
  const command = {
    type: 'approval-response',
    approvalId,
    response: { approved: true, input: { text } },
  } as const;
  expect(await durable.respond(runId, command)).toEqual({ accepted: true });
  while ((await durable.advance(runId, signal)).status === 'next');
  expect(await state()).toMatchObject({ status: 'done', result: text, toolCalls: [{ output: text }] });
});
