import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { nameOf, readEarlierScript, readTabMemory } from '../../src/state/open-script.ts';
import { memoryStorage } from '../memory-storage.ts';

beforeEach(() => {
  vi.stubGlobal('localStorage', memoryStorage());
  vi.stubGlobal('sessionStorage', memoryStorage());
});
afterEach(() => void vi.unstubAllGlobals());

const stored = (state: object): string => JSON.stringify({ version: 1, state });
const open = { id: 'a', origin: 'own', kept: true, revision: 3, isSaved: false, writer: 'page' };

test('a reload shows the tab’s script, and a new tab shows the browser’s last script', () => {
  expect(readTabMemory()).toBeUndefined();
  localStorage.setItem('cueline:script', stored({ open, text: 'last' }));
  // the other tab may have been closed before it stored this text
  expect(readTabMemory()).toMatchObject({ text: 'last', open: { id: 'a', isSaved: false } });
  const unsaved = [{ open: { ...open, id: 'b' }, text: 'left' }, { text: 'damaged' }];
  sessionStorage.setItem(
    'cueline:tab',
    stored({ open, text: 'own', unsaved, runs: { script: 'r', prompts: 7 } }),
  );
  expect(readTabMemory()).toMatchObject({
    text: 'own',
    open,
    unsaved: [{ open: { id: 'b' }, text: 'left' }],
    runs: { script: 'r' },
  });
});

test.each([
  ['no JSON', '{'],
  ['no script', stored({ open })],
  ['another origin', stored({ open: { ...open, origin: 'moon' }, text: 'x' })],
  ['no revision', stored({ open: { ...open, revision: '3' }, text: 'x' })],
])('a memory with %s is ignored', (_what, text) => {
  sessionStorage.setItem('cueline:tab', text);
  expect(readTabMemory()).toBeUndefined();
});

test('the scripts of the first version become the user’s own scripts', () => {
  localStorage.setItem('cueline:playground', stored({ script: '// mine', theme: 'dark' }));
  expect(readTabMemory()).toMatchObject({
    text: '// mine',
    open: { origin: 'own', kept: true, revision: 0 },
  });
  expect(readEarlierScript()).toBeUndefined();
});

test('both scripts of the first version are kept', () => {
  const state = { script: '// link', arrivedScript: '// link', previousScript: '// mine' };
  localStorage.setItem('cueline:playground', stored(state));
  expect(readTabMemory()).toMatchObject({
    text: '// link',
    open: { origin: 'link', kept: false },
    previous: { text: '// mine', open: { kept: true } },
  });
  expect(readEarlierScript()).toBe('// mine');
});

test('a script has the name that the user gave it, or the name of its prompt', () => {
  const script = {
    open: { ...open, origin: 'own' as const },
    text: "export default definePrompt('greet', f)",
  };
  expect(nameOf(script)).toBe('greet');
  expect(nameOf({ ...script, open: { ...script.open, name: 'Mine' } })).toBe('Mine');
  expect(nameOf({ ...script, text: `definePrompt('${'long '.repeat(40)}', () => {})` })).toMatch(
    /^(long ){24}$/,
  );
  expect(nameOf({ ...script, text: '' })).toBe('Untitled');
});
