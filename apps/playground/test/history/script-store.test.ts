import 'fake-indexeddb/auto';
import { expect, test } from 'vitest';
import { createDatabase } from '../../src/history/database.ts';
import { createScriptStore, MAX_VERSIONS } from '../../src/history/script-store.ts';
import type { OpenScript } from '../../src/state/open-script.ts';

let names = 0;
/** The stores of two tabs that share one database. */
function twoTabs() {
  const name = `scripts-${(names += 1)}`;
  let time = 1_000;
  const now = (): number => (time += 1);
  const database = createDatabase(name);
  return {
    database,
    one: createScriptStore(database, now),
    other: createScriptStore(createDatabase(name), now),
  };
}

const open = (revision = 0, more: Partial<OpenScript> = {}): OpenScript => ({
  id: 'a',
  origin: 'own',
  kept: true,
  revision,
  ...more,
});

test('a save continues the revision before it', async () => {
  const { one, other } = twoTabs();
  expect(await one.save({ open: open(0), text: '1' })).toMatchObject({
    kind: 'saved',
    script: { revision: 1 },
  });
  expect(await one.save({ open: open(1), text: '2' })).toMatchObject({
    kind: 'saved',
    script: { revision: 2 },
  });
  expect((await other.list()).rows).toMatchObject([{ id: 'a', text: '2', revision: 2 }]);
});

test('two tabs that edit the same revision keep both texts', async () => {
  const { one, other } = twoTabs();
  const text = "definePrompt('greet', () => {})";
  await one.save({ open: open(0), text });
  await one.save({ open: open(1), text: `${text} // one` });
  const { kind, script } = await other.save({ open: open(1), text: `${text} // other` });
  expect(kind).toBe('copied');
  expect(script).toMatchObject({ name: 'greet (copy)', text: `${text} // other`, revision: 1 });
  const { rows } = await one.list();
  expect(rows.map((row) => row.text).toSorted()).toEqual([`${text} // one`, `${text} // other`]);
});

test('the same text from two tabs is not a conflict', async () => {
  const { one, other } = twoTabs();
  await one.save({ open: open(0), text: 'same' });
  expect((await other.save({ open: open(0), text: 'same' })).kind).toBe('saved');
  expect(await one.list()).toMatchObject({ rows: [{ text: 'same' }], hasUnreadable: false });
});

test('a damaged row is skipped, kept, and not overwritten', async () => {
  const { one, database } = twoTabs();
  const damaged = { id: 'a', text: 7, newer: true };
  const db = await database.connect();
  await db.put('scripts', damaged);
  await db.put('scripts', { id: 'b', text: 'x', origin: 'own', revision: -1, updatedOn: 0 });
  expect(await one.list()).toEqual({ rows: [], hasUnreadable: true });
  expect((await one.save({ open: open(3), text: 'mine' })).kind).toBe('copied');
  expect(await db.get('scripts', 'a')).toEqual(damaged);
  expect((await one.list()).rows).toMatchObject([{ text: 'mine' }]);
});

test('the number of versions is limited, the latest comes first, and no version repeats the one before', async () => {
  const { one } = twoTabs();
  for (let count = 0; count < MAX_VERSIONS + 5; count += 1) await one.keepVersion('a', `v${count}`, 'run');
  await one.keepVersion('a', `v${MAX_VERSIONS + 4}`, 'switch');
  await one.keepVersion('b', 'other', 'run');
  const versions = await one.versions('a');
  expect(versions).toHaveLength(MAX_VERSIONS);
  expect(versions[0]).toMatchObject({ text: `v${MAX_VERSIONS + 4}`, reason: 'run' });
  expect(versions.at(-1)).toMatchObject({ text: 'v5' });
});

test('a deleted script is restored once, as a copy if another tab has stored a newer text', async () => {
  const { one, other } = twoTabs();
  await one.save({ open: open(0, { name: 'Mine' }), text: 'old' });
  const removed = await one.remove('a');
  await other.save({ open: open(1, { name: 'Mine' }), text: 'new' });
  const id = await one.restore(removed);
  expect(await one.get('a')).toMatchObject({ text: 'new', revision: 2 });
  expect(await one.get(id)).toMatchObject({ name: 'Mine (copy)', text: 'old', revision: 1 });
  await one.remove('a');
  await other.save({ open: open(1), text: 'old' });
  expect(await one.restore(removed)).toBe('a');
  expect((await one.list()).rows).toHaveLength(2);
});

test('a save does not change the name of a stored script, and a rename does not change its text', async () => {
  const { one, other } = twoTabs();
  await one.save({ open: open(0, { name: 'Old' }), text: '1' });
  await other.rename('a', 'New');
  expect((await one.save({ open: open(1, { name: 'Old' }), text: '2' })).kind).toBe('saved');
  await other.rename('a', 'Newer');
  expect((await one.list()).rows).toMatchObject([{ name: 'Newer', text: '2', revision: 2 }]);
});

test('a deleted script comes back with its versions', async () => {
  const { one } = twoTabs();
  await one.save({ open: open(0, { name: 'Mine' }), text: '1' });
  await one.keepVersion('a', '0', 'run');
  const removed = await one.remove('a');
  expect((await one.list()).rows).toEqual([]);
  expect(await one.versions('a')).toEqual([]);
  await one.restore(removed);
  expect((await one.list()).rows).toMatchObject([{ id: 'a', name: 'Mine', text: '1' }]);
  expect(await one.versions('a')).toMatchObject([{ text: '0' }]);
});

test('a script with a very long name stays readable, and so does a copy of it', async () => {
  const { one, other } = twoTabs();
  const name = 'n'.repeat(500);
  await one.save({ open: open(0, { name }), text: 'first' });
  await one.save({ open: open(1, { name }), text: 'mine' });
  const { kind, script } = await other.save({ open: open(1, { name }), text: 'theirs' });
  expect(kind).toBe('copied');
  expect(script.name).toMatch(/^n+ \(copy\)$/);
  expect((await one.list()).rows).toHaveLength(2);
});
