import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { examples } from '../../src/examples/index.ts';
import { usePlayground } from '../../src/state/store.ts';
import { readStored } from '../../src/state/stored-settings.ts';

const initial = usePlayground.getInitialState();
beforeEach(() => usePlayground.setState(initial, true));
afterEach(() => void vi.unstubAllGlobals());

const store = () => usePlayground.getState();

test('begins with the first example and the simulated model', () => {
  expect(store().script).toBe(examples[0]!.source);
  expect(store().connection.kind).toBe('demo');
});

test('an example replaces an edited script, which can be restored', () => {
  store().edit('export default () => {}; // mine');
  store().replaceScript(examples[1]!.source);
  expect(store().script).toBe(examples[1]!.source);
  // Another example does not replace the stored script of the user.
  store().replaceScript(examples[2]!.source);
  store().restoreScript();
  expect(store().script).toBe('export default () => {}; // mine');
  expect(store().openScript.kept).toBe(true);
  expect(store().previousScript).toBeUndefined();
});

test("an unedited script from a link or file does not replace the user's own", () => {
  store().edit('// mine');
  store().replaceScript('// link A');
  store().replaceScript('// file B');
  store().replaceScript('// file C');
  store().replaceScript(examples[1]!.source);
  expect(store().previousScript?.text).toBe('// mine');
  store().restoreScript();
  expect(store().script).toBe('// mine');
  // The user's own text again, though the user has not typed since.
  store().replaceScript('// link A');
  expect(store().previousScript?.text).toBe('// mine');
});

test("an edited script from a link or file becomes the user's own", () => {
  store().replaceScript('// link A');
  expect(store().previousScript).toBeUndefined();
  store().edit('// link A, edited');
  store().replaceScript('// link B');
  expect(store().previousScript?.text).toBe('// link A, edited');
});

test('the user’s own script that returns in a link stays the user’s own', () => {
  store().edit('// mine');
  store().replaceScript('// mine');
  store().replaceScript('// link A');
  expect(store().previousScript?.text).toBe('// mine');
});

test('an example is kept only while it differs from its original', () => {
  store().replaceScript(examples[1]!.source, { origin: 'example', name: 'Two' });
  expect(store().openScript).toMatchObject({ origin: 'example', name: 'Two', kept: false });
  store().edit(`${examples[1]!.source}// mine`);
  expect(store().openScript).toMatchObject({ origin: 'example', kept: true });
  // the name of its prompt replaces its title
  expect(store().openScript.name).toBeUndefined();
  store().edit(examples[1]!.source);
  expect(store().openScript.kept).toBe(false);
});

test('a script that leaves the editor before it is stored keeps its text until it is opened again', () => {
  const stored = { id: 'a', origin: 'own', kept: true, revision: 1, isSaved: true } as const;
  store().openText({ open: stored, text: '// v1' });
  store().edit('// v2');
  store().replaceScript('// link');
  store().openText({ open: { ...stored, id: 'b' }, text: '// b' });
  expect(store().leftUnsaved).toMatchObject([{ open: { id: 'a', isSaved: false }, text: '// v2' }]);
  store().openText({ open: stored, text: '// v1' });
  expect(store()).toMatchObject({ script: '// v2', leftUnsaved: [] });
  usePlayground.setState({ openScript: stored });
  store().openText({ open: { ...stored, id: 'b' }, text: '// b' });
  expect(store().leftUnsaved).toEqual([]);
});

test('an unedited example is not kept', () => {
  store().replaceScript(examples[1]!.source);
  expect(store().previousScript).toBeUndefined();
});

test('editing removes the mark of the last error', () => {
  usePlayground.setState({ problem: { message: 'gone', line: 3, ended: true } });
  store().edit('x');
  expect(store().problem).toBeUndefined();
});

test('asking for the same line twice makes two requests', () => {
  store().showLine(4);
  const first = store().reveal;
  store().showLine(4);
  expect(store().reveal).toMatchObject({ line: 4, column: 1 });
  expect(store().reveal?.nonce).not.toBe(first?.nonce);
});

test('keys and runs are not stored in the settings', () => {
  usePlayground.setState({ keys: { openai: 'sk-secret', compatible: 'other-secret' } });
  const { partialize } = usePlayground.persist.getOptions();
  const stored = partialize?.(store());
  expect(JSON.stringify(stored)).not.toContain('secret');
  expect(Object.keys(stored ?? {}).toSorted()).toEqual([
    'connection',
    'inputs',
    'inspectorOpen',
    'layouts',
    'theme',
    'timelineOpen',
    'view',
    'visited',
  ]);
});

test('only settings with a valid shape are read from storage', () => {
  expect(readStored(null)).toEqual({});
  expect(readStored('text')).toEqual({});
  expect(
    readStored({
      theme: 'pink',
      view: 'attic',
      layouts: { 'script run': { run: 'wide' } },
      inspectorOpen: 'yes',
      connection: { kind: 'elsewhere' },
      keys: { openai: 'x' },
    }),
  ).toEqual({});
  expect(
    readStored({
      theme: 'dark',
      layouts: { 'script run': { script: 40, run: 60 } },
      connection: { kind: 'openai', openai: { model: 'm', api: 'chat' } },
    }),
  ).toEqual({
    theme: 'dark',
    layouts: { 'script run': { script: 40, run: 60 } },
    connection: {
      kind: 'openai',
      openai: { model: 'm', api: 'chat', baseUrl: '' },
      compatible: { model: '', baseUrl: '' },
    },
  });
});

test('a storage that is blocked when the page opens is reported once the page can show messages', async () => {
  const blocked = () => {
    throw new DOMException('blocked', 'SecurityError');
  };
  vi.stubGlobal('localStorage', { getItem: blocked, setItem: blocked });
  vi.resetModules();
  const { onStorageProblem, reportStorage } = await import('../../src/state/store.ts');
  const problems: string[] = [];
  onStorageProblem((message) => problems.push(message));
  reportStorage('The history could not be loaded.');
  expect(problems).toEqual([expect.stringContaining('Your script stays here until you close the tab')]);
});
