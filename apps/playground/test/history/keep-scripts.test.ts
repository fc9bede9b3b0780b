import 'fake-indexeddb/auto';
import { expect, test, vi } from 'vitest';
import { createDatabase } from '../../src/history/database.ts';
import { keepScripts, type ScriptPage } from '../../src/history/keep-scripts.ts';
import { createScriptStore } from '../../src/history/script-store.ts';
import type { OpenScript } from '../../src/state/open-script.ts';
import { usePlayground, type PlaygroundState, type RunSession } from '../../src/state/store.ts';

type Page = ScriptPage & { state: () => PlaygroundState; set: (change: Partial<PlaygroundState>) => void };

/** The part of a tab's store that holds its script. */
function createPage(open: Partial<OpenScript>, script: string): Page {
  const openScript: OpenScript = { id: 'a', origin: 'own', kept: true, revision: 0, ...open };
  let state = { script, openScript, leftUnsaved: [], session: undefined } as unknown as PlaygroundState;
  const listeners = new Set<(now: PlaygroundState, before: PlaygroundState) => void>();
  const set = (change: Partial<PlaygroundState>): void => {
    const before = state;
    state = { ...state, ...change };
    for (const listener of listeners) listener(state, before);
  };
  return {
    state: () => state,
    set,
    getState: () => state,
    setState: set,
    subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
  };
}

let names = 0;
function createTabs() {
  const name = `keep-${(names += 1)}`;
  return (open: Partial<OpenScript>, script: string) => {
    const page = createPage(open, script);
    const store = createScriptStore(createDatabase(name));
    const onCopied = vi.fn();
    const keeper = keepScripts({
      page,
      store,
      onCopied,
      onSaved: () => {},
      onProblem: (error) => expect.unreachable(String(error)),
      delay: 5,
    });
    const edit = (text: string): void =>
      page.set({ script: text, openScript: { ...page.state().openScript, kept: true, isSaved: false } });
    return { page, store, keeper, edit, onCopied };
  };
}

test('edits are stored together, and continue the revision that was stored', async () => {
  const { page, store, keeper, edit } = createTabs()({ kept: false }, 'start');
  for (const text of ['1', '12', '123']) edit(text);
  await keeper.flush();
  expect(await store.get('a')).toMatchObject({ text: '123', revision: 1 });
  expect(page.state().openScript).toMatchObject({ revision: 1, isSaved: true });
  edit('1234');
  const saving = keeper.flush();
  // the save has begun by now
  await Promise.resolve();
  edit('12345');
  await saving;
  await keeper.flush();
  expect((await store.list()).rows).toMatchObject([{ text: '12345', revision: 3 }]);
});

/**
 * Edits while saves wait for each other, as on a slow computer: an edit follows the first of two saves, not the
 * second.
 */
async function typeDuringSaves({
  page,
  keeper,
  edit,
}: ReturnType<ReturnType<typeof createTabs>>): Promise<void> {
  const stop = page.subscribe(({ openScript }, before) => {
    if (openScript.id === before.openScript.id && openScript.revision === before.openScript.revision) return;
    stop();
    edit('123');
  });
  edit('1');
  void keeper.flush();
  edit('12');
  await keeper.flush();
  expect(page.state().script).toBe('123');
  await keeper.flush();
  edit('1234');
  await keeper.flush();
}

test('edits during several saves that wait for each other are edits of one script', async () => {
  const tab = createTabs()({}, 'start');
  await typeDuringSaves(tab);
  expect(tab.onCopied).not.toHaveBeenCalled();
  expect((await tab.store.list()).rows).toMatchObject([{ id: 'a', text: '1234' }]);
});

test('edits during several saves are in one copy if another tab has changed the script', async () => {
  const tabs = createTabs();
  const other = tabs({}, 'start');
  other.edit('other');
  await other.keeper.flush();
  const tab = tabs({}, 'start');
  await typeDuringSaves(tab);
  expect(tab.onCopied).toHaveBeenCalledOnce();
  const { rows } = await tab.store.list();
  expect(rows.map(({ text }) => text).toSorted()).toEqual(['1234', 'other']);
});

test('a script that is not the user’s own is not stored', async () => {
  const { page, store, keeper } = createTabs()({ kept: false, origin: 'example' }, 'example');
  page.set({ script: 'link', openScript: { id: 'b', origin: 'link', kept: false, revision: 0 } });
  await keeper.flush();
  expect((await store.list()).rows).toEqual([]);
});

test('a tab without edits shows the edits of another tab', async () => {
  const tab = createTabs();
  const one = tab({}, 'start');
  await one.keeper.refresh();
  const other = tab({ revision: 1, isSaved: true }, 'start');
  one.edit('changed');
  await one.keeper.flush();
  await other.keeper.refresh();
  expect(other.page.state()).toMatchObject({ script: 'changed', openScript: { revision: 2, isSaved: true } });
});

test('an example that another tab edits loses its title here, too', async () => {
  const tab = createTabs();
  const example = { kept: false, origin: 'example', name: 'Weather' } as const;
  const one = tab(example, 'start');
  const other = tab(example, 'start');
  one.page.set({
    script: 'edited',
    openScript: { id: 'a', kept: true, origin: 'example', revision: 0, isSaved: false },
  });
  await one.keeper.flush();
  await other.keeper.refresh();
  expect(other.page.state()).toMatchObject({ script: 'edited', openScript: { kept: true } });
  expect(other.page.state().openScript.name).toBeUndefined();
});

test('two tabs that edit the same script keep both texts, and the later tab continues with its copy', async () => {
  const tab = createTabs();
  const one = tab({}, 'start');
  await one.keeper.refresh();
  const other = tab({ revision: 1, isSaved: true }, 'start');
  one.edit('one');
  other.edit('other');
  await one.keeper.flush();
  await other.keeper.flush();
  expect(other.onCopied).toHaveBeenCalledExactlyOnceWith('Untitled (copy)');
  expect(other.page.state().script).toBe('other');
  other.edit('other, more');
  await other.keeper.flush();
  const { rows } = await one.store.list();
  expect(rows.map(({ text }) => text).toSorted()).toEqual(['one', 'other, more']);
});

test('edits that a closed page did not store are stored by the next one', async () => {
  const tab = createTabs();
  const before = tab({}, 'start');
  await before.keeper.refresh();
  const after = tab({ revision: 1, isSaved: false }, 'start, edited');
  await after.keeper.refresh();
  expect(await after.store.get('a')).toMatchObject({ text: 'start, edited', revision: 2 });
});

test('after a crash, the stored text replaces an earlier one that the browser remembered', async () => {
  const tab = createTabs();
  const before = tab({ writer: 'page' }, 'start');
  before.edit('start, edited');
  await before.keeper.flush();
  before.edit('start, edited more');
  await before.keeper.flush();
  // localStorage reaches the disk later than IndexedDB
  const after = tab({ revision: 1, isSaved: false, writer: 'page' }, 'start, ed');
  await after.keeper.refresh();
  expect(after.onCopied).not.toHaveBeenCalled();
  expect((await after.store.list()).rows).toMatchObject([
    { id: 'a', text: 'start, edited more', revision: 2 },
  ]);
  expect(after.page.state()).toMatchObject({
    script: 'start, edited more',
    openScript: { revision: 2, isSaved: true },
  });
});

test('after a crash, an example that the browser remembered unedited is the script that was stored', async () => {
  const tab = createTabs();
  const before = tab({ writer: 'page' }, 'example');
  before.edit('example, edited');
  await before.keeper.flush();
  const after = tab({ origin: 'example', kept: false, writer: 'page' }, 'example');
  await after.keeper.refresh();
  expect(after.page.state()).toMatchObject({ script: 'example, edited', openScript: { kept: true } });
});

test('a run keeps a version of the script, and so does opening another script', async () => {
  const { page, store, keeper, edit } = createTabs()({}, 'start');
  edit('ran');
  page.set({ session: { id: 's', shared: false, source: { script: 'ran' } } as RunSession });
  edit('switched');
  page.set({
    script: 'b',
    openScript: { id: 'b', origin: 'link', kept: false, revision: 0 },
    leftUnsaved: [{ open: page.state().openScript, text: 'switched' }],
  });
  await keeper.flush();
  await keeper.refresh();
  expect((await store.versions('a')).map(({ text, reason }) => [text, reason])).toEqual([
    ['switched', 'switch'],
    ['ran', 'run'],
  ]);
  expect(await store.get('a')).toMatchObject({ text: 'switched' });
});

test('a failed save is reported, and the next save is tried', async () => {
  const { page, store } = createTabs()({}, 'start');
  const onProblem = vi.fn();
  const failing = { ...store, save: vi.fn(store.save).mockRejectedValueOnce(new Error('full')) };
  const keeper = keepScripts({
    page,
    store: failing,
    onProblem,
    onSaved: () => {},
    onCopied: () => {},
    delay: 5,
  });
  page.set({ script: '1', openScript: { ...page.state().openScript, isSaved: false } });
  await keeper.flush();
  expect(onProblem).toHaveBeenCalledOnce();
  page.set({ script: '2', openScript: { ...page.state().openScript, isSaved: false } });
  await keeper.flush();
  expect(await store.get('a')).toMatchObject({ text: '2' });
});

test('a script that could not be stored is stored by the next flush, even if another script was opened since', async () => {
  const page = usePlayground;
  page.setState(page.getInitialState(), true);
  const store = createScriptStore(createDatabase(crypto.randomUUID()));
  const save = vi.fn(store.save);
  const onProblem = vi.fn();
  const keeper = keepScripts({
    page,
    store: { ...store, save },
    onCopied: vi.fn(),
    onSaved: () => {},
    onProblem,
    delay: 5,
  });
  const { edit, openText } = page.getState();
  const own = (id: string): OpenScript => ({ id, origin: 'own', kept: true, revision: 0 });
  openText({ open: own('one'), text: '' });
  edit('1');
  await keeper.flush();
  save.mockRejectedValue(new DOMException('full', 'QuotaExceededError'));
  edit('1, more');
  await keeper.flush();
  openText({ open: own('two'), text: '' });
  edit('2');
  await keeper.flush();
  expect(onProblem).toHaveBeenCalled();
  expect((await store.get('one'))?.text).toBe('1');
  // the stored text does not replace the one that could not be stored
  openText({ open: { ...own('one'), revision: 1, isSaved: true }, text: '1' });
  await keeper.refresh();
  expect(page.getState().script).toBe('1, more');
  openText({ open: own('two'), text: '' });
  expect(page.getState().script).toBe('2');
  save.mockImplementation(store.save);
  await keeper.flush();
  expect([(await store.get('one'))?.text, (await store.get('two'))?.text]).toEqual(['1, more', '2']);
  expect(page.getState()).toMatchObject({ leftUnsaved: [], openScript: { id: 'two', isSaved: true } });
  keeper.stop();
});

test('a page stores a text that a link has replaced before this page could store it', async () => {
  const { page, store, keeper } = createTabs()({ id: 'link', origin: 'link', kept: false }, 'link');
  await store.save({ open: { id: 'a', origin: 'own', kept: true, revision: 0 }, text: 'start' });
  const open: OpenScript = { id: 'a', origin: 'own', kept: true, revision: 1, isSaved: false };
  page.set({ leftUnsaved: [{ open, text: 'start, edited' }] });
  await keeper.flush();
  expect(await store.get('a')).toMatchObject({ text: 'start, edited', revision: 2 });
  expect(page.state()).toMatchObject({ script: 'link', leftUnsaved: [] });
});

test('a script that another tab deletes is not marked as stored, until that tab restores it or this one edits it', async () => {
  const tabs = createTabs();
  const one = tabs({}, 'start');
  await one.keeper.refresh();
  const other = tabs({ revision: 1, isSaved: true }, 'start');
  const removed = await one.store.remove('a');
  await other.keeper.refresh();
  expect(other.page.state()).toMatchObject({ script: 'start', openScript: { kept: false } });
  await one.store.restore(removed);
  await other.keeper.refresh();
  expect(other.page.state().openScript).toMatchObject({ kept: true, isSaved: true });
  await one.store.remove('a');
  await other.keeper.refresh();
  other.edit('start, edited');
  await other.keeper.flush();
  expect((await one.store.list()).rows).toMatchObject([{ id: 'a', text: 'start, edited' }]);
});

test('a tab that edits a script follows its new name from another tab', async () => {
  const tabs = createTabs();
  const one = tabs({ name: 'Old' }, 'start');
  await one.keeper.refresh();
  const other = tabs({ name: 'Old', revision: 1, isSaved: true }, 'start');
  other.edit('start, edited');
  await one.store.rename('a', 'New');
  await other.keeper.refresh();
  expect(await one.store.get('a')).toMatchObject({ name: 'New', text: 'start, edited' });
  expect(other.page.state().openScript).toMatchObject({ name: 'New', isSaved: true });
});
