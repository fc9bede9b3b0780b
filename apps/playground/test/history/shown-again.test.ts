import { expect, test, vi } from 'vitest';
import {
  createSession,
  createTab,
  end,
  held,
  newName,
  record,
  start,
  step,
  text,
} from './recorded-sessions.ts';

test('showing a run of the tree again does not change what is stored of it, and the user can reply to it', async () => {
  const shown = new Set(['first']);
  const { store, recorder } = createTab(newName(), undefined, shown);
  const first = createSession('first');
  await record(recorder, first, start, step);
  await first.say({ type: 'text-start', id: 't' }, text, end);
  await recorder.flush();
  await store.update('first', { title: 'Renamed', pinned: true });
  const stored = await store.get('first');
  shown.delete('first');
  shown.add('fork');
  recorder.follow({ ...createSession('fork'), parent: { id: 'first', turn: 0, step: 0 } });
  await recorder.flush();
  expect(recorder.ids(), 'it may be pruned').toEqual(new Set(['fork']));

  recorder.follow(first);
  await recorder.flush();
  expect(await store.logs('first')).toEqual([first.run.log()]);
  expect(await store.get('first')).toEqual(stored);

  const log = first.run.log();
  recorder.follow({ ...first, earlier: [{ log, state: first.run.getState() }] });
  void first.run.send('And now?');
  await first.say(start, step, end);
  await recorder.flush();
  expect(await store.logs('first')).toEqual([log, first.run.log()]);
  expect(await store.get('first')).toMatchObject({ title: 'Renamed', pinned: true, turns: 2 });
});

test('a run in progress that is not shown is found by its id', async () => {
  const { recorder } = createTab(newName(), undefined, new Set());
  const session = createSession('one');
  recorder.follow(session);
  void session.run.start();
  await session.say(start, step);
  expect(recorder.inProgress('one')).toBe(session);
  await session.say(end);
  await recorder.flush();
  expect(recorder.inProgress('one')).toBeUndefined();
});

test('a fork is in progress from its start to its end, although its log had an end', async () => {
  const { recorder } = createTab(newName(), undefined, new Set());
  const fork = createSession('other', [start, step, end]);
  await fork.run.restored;
  await vi.dynamicImportSettled();
  recorder.follow(fork);
  void fork.run.retry();
  const isInProgress = async (): Promise<boolean[]> => {
    await recorder.flush();
    return [recorder.inProgress('other') === fork, held.has('other')];
  };
  expect(await isInProgress(), 'before its first event').toEqual([true, true]);
  await fork.say(start, step);
  expect(await isInProgress()).toEqual([true, true]);
  await fork.say(end);
  expect(await isInProgress()).toEqual([false, false]);
});

test('a fork whose retry starts late is in progress from its first event on', async () => {
  const { recorder } = createTab(newName(), undefined, new Set());
  const fork = createSession('late', [start, step, end]);
  recorder.follow(fork);
  await recorder.flush();
  expect(recorder.inProgress('late')).toBeUndefined();
  void fork.run.retry();
  await fork.say(start, step);
  await recorder.flush();
  expect([recorder.inProgress('late'), held.has('late')]).toEqual([fork, true]);
});
