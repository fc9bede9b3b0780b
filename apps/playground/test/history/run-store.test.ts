import type { RunEvent } from '@cueline/core';
import { expect, test } from 'vitest';
import { createDatabase } from '../../src/history/database.ts';
import { openStoredRun } from '../../src/history/open-stored-run.ts';
import type { RunRow } from '../../src/history/rows.ts';
import { exportRun, importRun, runFileName } from '../../src/history/run-file.ts';
import { firstRows, groupByDay, matchesQuery } from '../../src/history/run-groups.ts';
import { createRunStore, type RunBounds } from '../../src/history/run-store.ts';
import { defaultConnection } from '../../src/model/connection.ts';
import { rowOf as row } from './recorded-sessions.ts';

let names = 0;
function open(bounds?: RunBounds) {
  const database = createDatabase(`store-${(names += 1)}`);
  return { database, store: createRunStore(database, bounds) };
}

const log: RunEvent[] = [
  { seq: 0, t: 0, type: 'run-start', v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' },
  { seq: 1, t: 3, type: 'run-end', outcome: 'done', finishReason: 'stop' },
];
const whole = [{ turn: 0, seq: 0, stored: JSON.stringify(log) }];

test('the oldest runs beyond the limits are removed with their events, except pinned and shown ones', async () => {
  const { store, database } = open({ runs: 3, size: 1_000_000 });
  for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries()) {
    const change = row(id, { startedOn: index, updatedOn: index, pinned: id === 'a' });
    await store.write({ row: change, batches: whole, replaced: [] });
  }
  await store.prune(new Set(['b']));
  expect((await store.list()).map(({ id }) => id)).toEqual(['e', 'b', 'a']);
  expect(await (await database.connect()).count('events')).toBe(3);
});

test('the number of characters is limited, too', async () => {
  const { store } = open({ runs: 200, size: 250 });
  for (const [index, id] of ['a', 'b', 'c'].entries()) {
    const change = row(id, { startedOn: index, updatedOn: index });
    await store.write({ row: change, batches: [], replaced: [] });
  }
  await store.prune(new Set());
  expect((await store.list()).map(({ id }) => id)).toEqual(['c', 'b']);
});

test('a run that was imported or continued lately is not one of the oldest', async () => {
  const { store } = open({ runs: 3, size: 1_000_000 });
  for (const id of ['a', 'b', 'c']) await store.write({ row: row(id), batches: whole, replaced: [] });
  await store.write({ row: row('b', { updatedOn: 2_000 }), batches: [], replaced: [] });
  const file = JSON.stringify({ cueline: 'run', version: 1, run: row('x', { startedOn: 1 }), logs: [log] });
  const { id } = (await importRun(store, file, () => 3_000)) as { id: string };
  await store.write({ row: row('d', { startedOn: 4_000, updatedOn: 4_000 }), batches: [], replaced: [] });
  await store.prune(new Set());
  expect((await store.list()).map((one) => one.id)).toEqual(['d', 'b', id]);
});

test('runs from a time when the clock was ahead are removed before those since then', async () => {
  const { store } = open({ runs: 2, size: 1_000_000 });
  const now = Date.now();
  const times = { ahead: now + 86_400_000, aheadLater: now + 86_500_000, old: now - 2_000, new: now - 1_000 };
  for (const [id, on] of Object.entries(times)) {
    await store.write({ row: row(id, { startedOn: on, updatedOn: on }), batches: [], replaced: [] });
  }
  await store.prune(new Set());
  expect((await store.list()).map(({ id }) => id)).toEqual(['new', 'old']);
  await store.write({ row: row('b', { updatedOn: times.ahead }), batches: [], replaced: [] });
  await store.write({ row: row('c', { updatedOn: times.aheadLater }), batches: [], replaced: [] });
  await store.prune(new Set(['old']));
  expect((await store.list()).map(({ id }) => id)).toEqual(['new', 'old']);
});

test.each([
  ['Plan a trip (copy)', 'Plan-a-trip-copy.run.json'],
  ['旅行の計画', '旅行の計画.run.json'],
  ['यात्रा / योजना', 'यात्रा-योजना.run.json'],
  ['“!?”', 'run.run.json'],
  [`${'a'.repeat(79)} b`, `${'a'.repeat(79)}.run.json`],
  ['𝒜'.repeat(90), `${'𝒜'.repeat(80)}.run.json`],
])('the file of the run %s is called %s', (title, name) => {
  expect(runFileName(title)).toBe(name);
});

test('rows and events that cannot be read are skipped and not deleted', async () => {
  const { store, database } = open();
  const db = await database.connect();
  await db.put('runs', { id: 'x', title: 7 });
  await db.put('runs', { ...row('y'), status: 'levitating' });
  await store.write({ row: row('a'), batches: whole, replaced: [] });
  expect((await store.list()).map(({ id }) => id)).toEqual(['a']);
  expect(await store.get('x')).toBeUndefined();
  expect(await db.count('runs')).toBe(3);
  // a view would throw for a time that no date has
  await db.put('runs', row('z', { startedOn: 1e300 }));
  expect((await store.listAll()).unreadable).toEqual(['x', 'y', 'z']);
  const removed = await store.remove('z');
  await store.restore(removed);
  expect((await store.listAll()).unreadable).toEqual(['x', 'y', 'z']);
  await store.remove('z');
  expect((await store.listAll()).unreadable).toEqual(['x', 'y']);
  for (const bad of ['no JSON', '{}', 7, JSON.stringify([{ seq: 0, type: 'run-start', messages: 7 }])]) {
    await db.put('events', bad, ['a', 0, 0]);
    expect(await openStoredRun(store, 'a')).toEqual({ problem: expect.any(String) });
  }
  // a batch is missing
  await db.put('events', JSON.stringify([log[1]]), ['a', 0, 1]);
  await db.delete('events', ['a', 0, 0]);
  expect(await openStoredRun(store, 'a')).toEqual({ problem: 'A part of this run is missing.' });
});

test('a deleted run comes back as it was', async () => {
  const { store } = open();
  await store.write({ row: row('a', { pinned: true }), batches: whole, replaced: [] });
  const removed = await store.remove('a');
  expect(await store.list()).toEqual([]);
  await store.restore(removed);
  expect(await store.get('a')).toEqual(row('a', { pinned: true }));
  expect(await store.logs('a')).toEqual([log]);
});

test('restoring a deleted run does not replace one that another tab has continued', async () => {
  const { store } = open();
  const begun = { turn: 0, seq: 0, stored: JSON.stringify([log[0]]) };
  await store.write({ row: row('a', { status: 'running' }), batches: [begun], replaced: [] });
  const removed = await store.remove('a');
  const batches = [
    { turn: 0, seq: 0, stored: JSON.stringify(log) },
    { turn: 1, seq: 0, stored: JSON.stringify(log) },
  ];
  await store.write({ row: row('a', { turns: 2, writer: 'other' }), batches, replaced: 'all' });
  await store.restore(removed);
  expect(await store.list()).toEqual([row('a', { turns: 2, writer: 'other' })]);
  expect(await store.logs('a')).toEqual([log, log]);
});

test.each([
  ['a step that was in progress', 'step-start', 1],
  ['a complete step', 'step-end', 2],
])('a run that was continued without %s comes back as a copy if that was done', async (_, type, runs) => {
  const { store } = open();
  const json = (...events: object[]) => [
    { turn: 0, seq: 0, stored: JSON.stringify(events.map((event, seq) => ({ ...event, seq }))) },
  ];
  await store.write({ row: row('a'), batches: json(log[0]!, { type, step: 0 }), replaced: [] });
  const removed = await store.remove('a');
  const continued = json(log[0]!, { type: 'run-resume' }, log[1]!);
  await store.write({ row: row('a', { writer: 'other' }), batches: continued, replaced: 'all' });
  await store.restore(removed);
  expect(await store.list()).toHaveLength(runs);
  expect((await store.logs('a'))?.[0]).toHaveLength(3);
});

test('a deleted run comes back as a copy if what another tab has stored does not contain it', async () => {
  const { store } = open();
  const batches = [
    { turn: 0, seq: 0, stored: JSON.stringify([log[0]]) },
    { turn: 0, seq: 1, stored: JSON.stringify([log[1]]) },
    { turn: 1, seq: 0, stored: JSON.stringify(log) },
  ];
  await store.write({ row: row('a', { turns: 2, pinned: true }), batches, replaced: [] });
  const removed = await store.remove('a');
  await store.write({ row: row('a', { writer: 'other' }), batches: whole, replaced: 'all' });
  await store.restore(removed);
  const copy = (await store.list()).find(({ id }) => id !== 'a')!;
  expect(copy).toMatchObject({ title: 'Run a (copy)', turns: 2, pinned: false });
  expect(await store.logs(copy.id)).toEqual([log, log]);
  expect(await store.get('a')).toEqual(row('a', { writer: 'other' }));
  expect(await store.logs('a')).toEqual([log]);
});

test('if several tabs claim a run at the same time, one gets it', async () => {
  const { store } = open();
  const other = row('b');
  await store.write({ row: row('a', { title: 'New' }), batches: [], replaced: [] });
  const claim = (of: RunRow) => Promise.all(['one', 'two', 'one'].map((tab) => store.claim(of, tab)));
  expect(await claim(row('a'))).toEqual([
    row('a', { title: 'New' }),
    'taken',
    row('a', { title: 'New', writer: 'one' }),
  ]);
  expect(await claim(other)).toEqual(['missing', 'taken', row('b', { writer: 'one' })]);
});

test('a turn in one long batch can be read', async () => {
  const { store } = open();
  const long = Array.from({ length: 200_000 }, () => 0);
  await store.write({
    row: row('a'),
    batches: [{ turn: 0, seq: 0, stored: JSON.stringify(long) }],
    replaced: [],
  });
  expect((await store.logs('a'))?.[0]).toHaveLength(long.length);
});

test('an exported run can be imported, and gets a new id', async () => {
  const { store } = open();
  await store.write({ row: row('a', { source: { script: '// it' } }), batches: whole, replaced: [] });
  const text = (await exportRun(store, 'a', defaultConnection))!;
  expect(text).not.toContain('"writer"');
  const imported = await importRun(open().store, text);
  expect(imported).toEqual({ id: expect.any(String) });
  const { id } = (await importRun(store, text)) as { id: string };
  expect(id).not.toBe('a');
  expect(await store.get(id)).toMatchObject({ title: 'Run a', source: { script: '// it' } });
  expect(await store.logs(id)).toEqual([log]);
});

test('an exported run does not name the user’s model server, as a link does not', async () => {
  const { store } = open();
  const start = { ...log[0], model: 'compatible:llama' } as RunEvent;
  const failed: RunEvent[] = [
    start,
    {
      seq: 1,
      t: 3,
      type: 'run-end',
      outcome: 'error',
      error: {
        code: 'network',
        message: 'Could not reach https://models.example:8443.',
        details: { origin: 'https://models.example:8443' },
      },
    },
  ];
  const model = { name: 'llama', detail: 'models.example:8443' };
  const batches = [failed, [start, log[1]]].map((one, turn) => ({
    turn,
    seq: 0,
    stored: JSON.stringify(one),
  }));
  await store.write({ row: row('a', { model, simulated: false, turns: 2 }), batches, replaced: [] });
  const text = (await exportRun(store, 'a', defaultConnection))!;
  expect(text).toContain('Could not reach the model server.');
  expect(text).not.toContain('models.example');
  const { id } = (await importRun(store, text)) as { id: string };
  expect(await store.get(id)).toMatchObject({ model: { name: 'llama', detail: 'compatible' } });
});

test('an imported run has the figures of its logs, even if its file states others', async () => {
  const { store } = open();
  const stated = row('a', { status: 'error', steps: 7, elapsed: 9_000, turns: 3 });
  for (const [logs, status] of [
    [[log, log], 'done'],
    [[log.slice(0, 1)], 'interrupted'],
  ] as const) {
    const file = JSON.stringify({ cueline: 'run', version: 1, run: stated, logs });
    const { id } = (await importRun(store, file)) as { id: string };
    expect(await store.get(id)).toMatchObject({ status, steps: 0, turns: logs.length });
  }
});

test.each([
  ['no JSON', 'nothing'],
  ['another file', JSON.stringify({ prompts: [] })],
  ['no turn', JSON.stringify({ cueline: 'run', version: 1, run: row('a'), logs: [] })],
  ['an invalid log', JSON.stringify({ cueline: 'run', version: 1, run: row('a'), logs: [[{ seq: 0 }]] })],
  [
    'a time that no date has',
    JSON.stringify({ cueline: 'run', version: 1, run: row('a', { startedOn: 8.64e15 + 1 }), logs: [log] }),
  ],
  [
    'a source that is nested too deep',
    JSON.stringify({
      cueline: 'run',
      version: 1,
      run: row('a', { source: { prompts: 7 } }),
      logs: [log],
    }).replace('"prompts":7', `"prompts":${'['.repeat(10_000)}${']'.repeat(10_000)}`),
  ],
  ['an invalid row', JSON.stringify({ cueline: 'run', version: 1, run: { title: 7 }, logs: [log] })],
  [
    'an invalid prompt',
    JSON.stringify({ cueline: 'run', version: 1, run: row('a', { source: { prompts: 7 } }), logs: [log] }),
  ],
])('a file with %s is refused with a reason, and nothing is stored', async (_what, text) => {
  const { store } = open();
  expect(await importRun(store, text)).toEqual({ problem: expect.stringMatching(/^[A-Z].*\.$/) });
  expect(await store.list()).toEqual([]);
});

test('pinned runs come first, the others by day; the search reads title, model and script', () => {
  const day = 24 * 60 * 60_000;
  const now = new Date(2026, 4, 20, 12).getTime();
  const rows = [
    row('a', { startedOn: now }),
    row('b', { startedOn: now - day, pinned: true }),
    row('c', { startedOn: now - day, source: { script: 'getWeather()' } }),
  ];
  expect(groupByDay(rows, now).map(({ title, rows: [first] }) => [title, first!.id])).toEqual([
    ['Pinned', 'b'],
    ['Today', 'a'],
    ['Yesterday', 'c'],
  ]);
  expect(rows.filter((one) => matchesQuery(one, 'demo WEATHER')).map(({ id }) => id)).toEqual(['c']);
});

test('the first rows of the list are those of its first groups', () => {
  const rows = [1, 2, 3].map((at) => row(`run ${at}`));
  const groups = [
    { title: 'Pinned', rows: rows.slice(0, 2) },
    { title: 'Today', rows: rows.slice(2) },
  ];
  expect(firstRows(groups, 3)).toEqual(groups);
  expect(firstRows(groups, 2)).toEqual([groups[0]]);
  expect(firstRows(groups, 1)).toEqual([{ title: 'Pinned', rows: [rows[0]] }]);
});
