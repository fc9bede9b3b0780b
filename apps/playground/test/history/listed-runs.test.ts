// @vitest-environment happy-dom
import 'fake-indexeddb/auto';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { readRuns, runs, startHistory } from '../../src/history/history.ts';
import { useLibrary } from '../../src/history/library.ts';
import { usePlayground } from '../../src/state/store.ts';
import { createSession, end, newName, start, step, text } from './recorded-sessions.ts';

beforeAll(() => startHistory({ restore: false }));
beforeEach(() => runs.clear(new Set()));

test('while a run is stored, the stored runs are read only for a list that is open', async () => {
  const listAll = vi.spyOn(runs, 'listAll');
  const write = vi.spyOn(runs, 'write');
  const session = createSession(newName());
  usePlayground.setState({ session, dialog: 'history', commandsOpen: false });
  await readRuns();
  void session.run.start();
  await session.say(start, step);
  await expect.poll(() => useLibrary.getState().runs).toMatchObject([{ status: 'running' }]);

  usePlayground.setState({ dialog: undefined });
  listAll.mockClear();
  write.mockClear();
  await session.say({ type: 'text-start', id: 't' }, text);
  await expect.poll(() => write).toHaveBeenCalled();
  await write.mock.results[0]!.value;
  expect(listAll).not.toHaveBeenCalled();

  usePlayground.setState({ commandsOpen: true });
  await session.say(end);
  await expect.poll(() => useLibrary.getState().runs).toMatchObject([{ status: 'done' }]);
});
