import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sampleEval } from '../../src/evals/sample-eval.ts';
import type { StoredDocuments } from '../../src/state/documents/documents.ts';
import { mergeItems } from '../../src/state/documents/merge-items.ts';
import { mergeValues } from '../../src/state/documents/merge-values.ts';
import { createStorage } from '../../src/state/storage.ts';

let texts = new Map<string, string>();
const fakeStorage = {
  getItem: (name: string) => texts.get(name) ?? null,
  setItem: (name: string, text: string) => void texts.set(name, text),
  removeItem: (name: string) => void texts.delete(name),
};

beforeEach(() => {
  texts = new Map();
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The stores of one more tab over the same `localStorage`; `receive` is its `storage` event. */
async function openTab() {
  const all: ((event: { key: string }) => void)[] = [];
  vi.resetModules();
  vi.stubGlobal('localStorage', fakeStorage);
  vi.stubGlobal('sessionStorage', { ...fakeStorage, getItem: () => null, setItem: () => {} });
  vi.stubGlobal('document', {});
  vi.stubGlobal('addEventListener', (type: string, listener: (event: { key: string }) => void) => {
    if (type === 'storage') all.push(listener);
  });
  const { usePlayground } = await import('../../src/state/store.ts');
  const { usePrompts } = await import('../../src/prompts/store.ts');
  const { useEvals } = await import('../../src/evals/store.ts');
  return {
    prompts: usePrompts.getState,
    evals: useEvals.getState,
    settings: usePlayground.getState,
    set: usePlayground.setState,
    receive: (key: string) => all.forEach((listener) => listener({ key })),
  };
}

const written = (): void => void vi.advanceTimersByTime(1_000);
const names = (tab: Awaited<ReturnType<typeof openTab>>) =>
  tab.prompts().entries.map(({ prompt }) => `${prompt.id} ${prompt.version} ${prompt.name}`);

test('prompts that two tabs edit and add are both kept, and the other tab shows them', async () => {
  const [one, two] = [await openTab(), await openTab()];
  one.prompts().addVersion();
  one.prompts().edit({ name: 'From tab one' });
  written();
  two.prompts().edit({ name: 'From tab two' });
  written();
  one.receive('cueline:prompts');

  const both = [
    'classify-feedback 1.0.0 Classify feedback',
    'classify-feedback 1.1.0 From tab two',
    'classify-feedback 1.2.0 From tab one',
    'answer-guest 1.0.0 Answer a guest',
  ];
  expect(names(one)).toEqual(both);
  expect(names(two)).toEqual(both);
  expect(names(await openTab())).toEqual(both);
  // each tab still edits its own version
  expect(one.prompts().entries.find(({ key }) => key === one.prompts().selected)?.prompt.version).toBe(
    '1.2.0',
  );
});

test('if two tabs edit the same prompt version at once, the other text becomes a version of its own', async () => {
  const [one, two] = [await openTab(), await openTab()];
  one.prompts().edit({ systemPrompt: 'ONE' });
  two.prompts().edit({ systemPrompt: 'TWO' });
  written();
  one.receive('cueline:prompts');
  two.receive('cueline:prompts');
  for (const tab of [one, two, await openTab()]) {
    const prompts = tab.prompts().entries.map(({ prompt }) => `${prompt.version} ${prompt.systemPrompt}`);
    expect(prompts).toContain('1.1.0 TWO');
    expect(prompts).toContain('1.2.0 ONE');
    expect(prompts).toHaveLength(4);
  }
});

test('two tabs edit cases, and fields of the eval, without losing one', async () => {
  const [one, two] = [await openTab(), await openTab()];
  one.evals().editCase(0, { id: 'renamed' });
  one.evals().change({ repeat: 3 });
  written();
  two.evals().editCase(1, { expect: 'NEUTRAL' });
  two.evals().addCase({ id: 'added' });
  two.evals().change({ concurrency: 2 });
  written();
  one.receive('cueline:evals');
  for (const tab of [one, two, await openTab()]) {
    const { cases, ...settings } = tab.evals().settings;
    expect(settings).toMatchObject({ repeat: 3, concurrency: 2 });
    expect(cases[0]).toMatchObject({ id: 'renamed', expect: 'POSITIVE' });
    expect(cases[1]).toMatchObject({ id: 'praise-short', expect: 'NEUTRAL' });
    expect(cases.map(({ id }) => id)).toEqual(expect.arrayContaining(['added']));
    expect(cases).toHaveLength(10);
  }
});

test('edited prompts and evals of a link stay when another link replaces them, and after a reload', async () => {
  const tab = await openTab();
  const link = (name: string) => ({
    prompts: [{ ...tab.prompts().entries[0]!.prompt, name }],
    selected: 0,
    values: {},
  });
  tab.prompts().edit({ name: 'Own' });
  tab.prompts().replace(link('Link one'));
  tab.prompts().edit({ name: 'Link one, edited' });
  tab.prompts().replace(link('Link two'));
  const { settings } = tab.evals();
  tab.evals().change({ repeat: 3 });
  tab.evals().replace({ ...settings, repeat: 4 }, undefined);
  tab.evals().change({ repeat: 5 });
  tab.evals().replace({ ...settings, repeat: 6 }, undefined);
  written();

  const reloaded = await openTab();
  expect(names(reloaded)[0]).toContain('Link two');
  reloaded.prompts().restore();
  expect(names(reloaded)[0]).toContain('Link one, edited');
  reloaded.prompts().restore();
  expect(names(reloaded)).toContainEqual(expect.stringContaining('Own'));
  reloaded.prompts().restore();
  expect(names(reloaded)[0]).toContain('Link one, edited');
  const repeats = [reloaded.evals().settings.repeat];
  for (let count = 0; count < 2; count++) {
    reloaded.evals().restore();
    repeats.push(reloaded.evals().settings.repeat);
  }
  expect(repeats).toEqual([6, 5, 3]);
});

test('a link that is opened in one tab leaves the other tab with its own prompts', async () => {
  const [one, two] = [await openTab(), await openTab()];
  one.prompts().edit({ name: 'Own' });
  written();
  two.receive('cueline:prompts');
  two.prompts().replace({ prompts: [two.prompts().entries[0]!.prompt], selected: 0, values: {} });
  written();
  one.receive('cueline:prompts');
  expect(names(one)).toHaveLength(3);
  two.prompts().edit({ name: 'Linked, edited' });
  written();
  one.receive('cueline:prompts');
  one.prompts().edit({ name: 'Own, again' });
  written();
  two.receive('cueline:prompts');
  expect(names(two)).toEqual(['classify-feedback 1.0.0 Linked, edited']);
  two.prompts().restore();
  expect(names(two)).toContain('classify-feedback 1.1.0 Own, again');
});

test('prompts and an eval that an earlier version of the page has stored are read', async () => {
  const { prompts, evals } = await openTab();
  const [first, second] = prompts().entries.map(({ prompt }) => prompt);
  const shared = { prompts: [{ ...first, name: 'Linked' }], selected: 0, values: {} };
  const previous = { prompts: [first, { ...second, name: 'Own' }], selected: 1, values: { a: { B: 'c' } } };
  texts.set('cueline:prompts', JSON.stringify({ state: { shared, values: {}, previous }, version: 1 }));
  const { settings } = evals();
  const state = { settings: { ...settings, repeat: 3 }, previous: { ...settings, repeat: 4 } };
  texts.set('cueline:evals', JSON.stringify({ state, version: 1 }));
  const tab = await openTab();
  expect(names(tab)).toEqual(['classify-feedback 1.0.0 Linked']);
  tab.prompts().restore();
  expect(names(tab)).toContain('classify-feedback 1.1.0 Own');
  expect(tab.prompts().values).toEqual({ a: { B: 'c' } });
  expect(tab.evals().settings.repeat).toBe(3);
  tab.evals().restore();
  expect(tab.evals().settings.repeat).toBe(4);
});

const newerPrompt = { id: 'newer', version: '1.0.0', name: 'Newer', userPrompt: '', voice: 'warm' };
const newerEntry = { key: 'n', prompt: newerPrompt };
const newerEval = { ...sampleEval, repeat: 'often' };

type ChangeStored = (state: StoredDocuments<{ entries: unknown[] }>) => unknown;

/** Changes the stored state, as a newer version of the page. */
function changeStored(name: string, change: ChangeStored): void {
  const stored = JSON.parse(texts.get(name)!) as { state: StoredDocuments<{ entries: unknown[] }> };
  texts.set(name, JSON.stringify({ ...stored, state: change(stored.state), version: 2 }));
}

test.each<[what: string, unreadable: unknown[], change: ChangeStored]>([
  [
    'a version',
    [newerEntry, { key: 'damaged', prompt: 7 }],
    (state) => {
      state.documents[0]!.content.entries.splice(1, 0, newerEntry, { key: 'damaged', prompt: 7 });
      return state;
    },
  ],
  [
    'documents',
    [{ id: 'own', isOwn: true, content: { list: [newerEntry] } }, 'damaged'],
    () => ({
      documents: [{ id: 'own', isOwn: true, content: { list: [newerEntry] } }, 'damaged'],
      shown: 'own',
    }),
  ],
  ['everything', [{ library: [newerEntry] }], () => ({ library: [newerEntry] })],
])('stored prompts stay as they are if this page cannot read %s', async (_what, unreadable, change) => {
  const before = await openTab();
  before.prompts().edit({ name: 'Mine' });
  written();
  changeStored('cueline:prompts', change);
  expect(before.prompts().hasUnreadable).toBe(false);
  const [one, two] = [await openTab(), await openTab()];
  expect(one.prompts().hasUnreadable).toBe(true);
  one.prompts().edit({ systemPrompt: 'ONE' });
  written();
  two.receive('cueline:prompts');
  two.prompts().addPrompt();
  written();
  one.receive('cueline:prompts');
  const reloaded = await openTab();
  expect(names(reloaded)).toEqual(names(one));
  expect(names(reloaded)).toContain('new-prompt 1.0.0 New prompt');
  expect(reloaded.prompts().entries).toContainEqual(
    expect.objectContaining({ prompt: expect.objectContaining({ systemPrompt: 'ONE' }) }),
  );
  reloaded.prompts().replace({ prompts: [reloaded.prompts().entries[0]!.prompt], selected: 0, values: {} });
  written();
  for (const item of unreadable) expect(texts.get('cueline:prompts')).toContain(JSON.stringify(item));
});

test('a stored version that this page cannot read is there again for a page that can', async () => {
  const tab = await openTab();
  tab.prompts().edit({ name: 'Mine' });
  written();
  const { voice: _, ...older } = newerPrompt;
  changeStored('cueline:prompts', (state) => {
    state.documents[0]!.content.entries.push(newerEntry);
    return state;
  });
  (await openTab()).prompts().edit({ name: 'Mine, later' });
  written();
  // what the other page reads and this one does not
  texts.set('cueline:prompts', texts.get('cueline:prompts')!.replace(',"voice":"warm"', ''));
  const reader = await openTab();
  expect(names(reader)).toContainEqual(expect.stringContaining('Mine, later'));
  reader.prompts().restore();
  expect(reader.prompts().entries.map(({ prompt }) => prompt)).toMatchObject([older]);
});

test('stored evals stay as they are if this page cannot read them', async () => {
  const tab = await openTab();
  tab.evals().change({ repeat: 3 });
  written();
  changeStored('cueline:evals', ({ documents }) => ({
    documents: [{ id: 'newer', isOwn: true, content: newerEval }, ...documents],
    shown: 'newer',
  }));
  const reloaded = await openTab();
  expect(reloaded.evals()).toMatchObject({ settings: { repeat: 3 }, hasUnreadable: true });
  expect(reloaded.prompts().hasUnreadable).toBe(false);
  reloaded.evals().change({ repeat: 4 });
  written();
  expect(texts.get('cueline:evals')).toContain(JSON.stringify(newerEval));
  expect((await openTab()).evals().settings.repeat).toBe(4);
});

test('a tab stores only the settings that it has changed', async () => {
  const [one, two] = [await openTab(), await openTab()];
  const { connection } = one.settings();
  const compatible = { baseUrl: 'http://localhost:9999/v1', model: 'my-model' };
  one.set({ connection: { ...connection, kind: 'compatible', compatible }, theme: 'dark', inputs: { a: 1 } });
  written();
  two.set({ visited: true, inspectorOpen: false, inputs: { b: 2 } });
  written();

  // the other tab has the theme at once, and keeps its model
  expect(two.settings()).toMatchObject({ theme: 'dark', connection: { kind: 'demo' } });
  expect((await openTab()).settings()).toMatchObject({
    connection: { kind: 'compatible', compatible },
    theme: 'dark',
    inspectorOpen: false,
    inputs: { a: 1, b: 2 },
  });
});

test('merged records hold what each copy has changed, down to the given depth', () => {
  const base = { a: { x: 1, y: 1 }, b: [1], gone: 1 };
  const mine = { a: { x: 2, y: 1 }, b: [1], gone: 1 };
  const theirs = { a: { x: 1, y: 2 }, b: [2] } as typeof base;
  expect(mergeValues(base, mine, theirs, 2)).toEqual({ a: { x: 2, y: 2 }, b: [2] });
  expect(mergeValues(base, mine, theirs, 1)).toEqual({ a: { x: 2, y: 1 }, b: [2] });
  expect(mergeValues({}, {}, JSON.parse('{"constructor":1}'), 2)).toEqual({ constructor: 1 });
});

type Item = { readonly id: string; readonly text: string };

/**
 * A tab with a list. It sees what the other tab has stored only after `receive`: a browser passes it on a moment
 * later.
 */
function listTab(count: () => number) {
  let items: readonly Item[] = [];
  let seen: string | null = null;
  const storage = createStorage<readonly Item[]>({
    onProblem: expect.unreachable,
    open: () => ({
      ...fakeStorage,
      getItem: () => seen,
      setItem(name, text) {
        seen = text;
        texts.set(name, text);
      },
    }),
    merge: (base, mine, theirs) =>
      mergeItems(
        base,
        mine,
        theirs as readonly Item[],
        ({ id }) => id,
        (_, own, other) => [own, { ...other, id: `copy-${count()}` }],
      ),
  });
  const set = (next: readonly Item[]): void => {
    items = next;
    void storage.setItem('list', { state: items, version: 1 });
  };
  storage.share('list', items, set);
  const receive = (): void => {
    seen = texts.get('list') ?? null;
    storage.flush();
  };
  return { items: () => items, set, write: () => storage.flush(), receive };
}

test('whatever two tabs add, edit and delete, only what a tab has seen is overwritten or deleted by it', () => {
  const step = fc.record({
    tab: fc.nat(1),
    kind: fc.constantFrom('add', 'edit', 'delete', 'write', 'receive'),
    at: fc.nat(5),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, isDelayed) => {
      texts = new Map();
      let counter = 0;
      const count = (): number => counter++;
      const tabs = [listTab(count), listTab(count)];
      const expected = new Set<string>();
      for (const { tab: index, kind, at } of steps) {
        const tab = tabs[index]!;
        const items = tab.items();
        const item = items[at % Math.max(1, items.length)];
        const text = `text-${count()}`;
        if (kind === 'write' && isDelayed) tab.write();
        else if (kind === 'write' || kind === 'receive') tab.receive();
        else if (kind === 'add') {
          tab.set([...items.slice(0, at), { id: `item-${count()}`, text }, ...items.slice(at)]);
          expected.add(text);
        } else if (item !== undefined) {
          expected.delete(item.text);
          if (kind === 'edit') expected.add(text);
          tab.set(items.flatMap((one) => (one !== item ? one : kind === 'edit' ? { ...one, text } : [])));
        }
      }
      for (const tab of [...tabs, ...tabs, ...tabs]) tab.receive();
      const [one, two] = tabs.map((tab) => tab.items());
      expect(one).toEqual(two);
      const found = one!.map(({ text }) => text);
      expect(found).toEqual(expect.arrayContaining([...expected]));
      // a tab may have made a copy of what the other one deleted at the same time
      const hasCopies = one!.some(({ id }) => id.startsWith('copy'));
      if (!isDelayed && !hasCopies) expect(found).toHaveLength(expected.size);
    }),
    { numRuns: 2_000 },
  );
});
