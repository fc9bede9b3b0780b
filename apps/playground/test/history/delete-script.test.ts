import 'fake-indexeddb/auto';
import { expect, test, vi } from 'vitest';
import { saveNow, scripts, startHistory } from '../../src/history/history.ts';
import { deleteScript } from '../../src/history/script-actions.ts';
import { newOpenScript } from '../../src/state/open-script.ts';
import { usePlayground } from '../../src/state/store.ts';

test('a deleted script leaves no version of its text behind', async () => {
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('document', { addEventListener() {} });
  await startHistory({ restore: false });
  const open = newOpenScript('own', 'Secret plan');
  usePlayground.getState().openText({ open, text: '// the first text' });
  usePlayground.getState().edit('// the last text');
  await saveNow();
  await scripts.keepVersion(open.id, '// the first text', 'run');
  expect(await scripts.get(open.id)).toMatchObject({ text: '// the last text' });
  await deleteScript();
  await saveNow();
  expect(usePlayground.getState().openScript.id).not.toBe(open.id);
  expect(await scripts.get(open.id)).toBeUndefined();
  expect(await scripts.versions(open.id)).toEqual([]);
});
