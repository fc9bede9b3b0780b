import type { RunEvent } from '@cueline/core';
import { expect, test, vi } from 'vitest';
import { forkLabel } from '../../src/history/describe-run.ts';
import { openStoredRun } from '../../src/history/open-stored-run.ts';
import type { RunStore } from '../../src/history/run-store.ts';
import { emptyPrompt } from '../../src/prompts/editable-prompt.ts';
import type { RunSession } from '../../src/state/store.ts';
import {
  createSession,
  createTab,
  end,
  held,
  newName,
  openRun,
  record,
  start,
  step,
  text,
} from './recorded-sessions.ts';

test('a run is stored while it is in progress, and holds a lock until its end', async () => {
  const { store, recorder } = createTab(newName());
  const session = createSession('one');
  recorder.follow(session);
  void session.run.start();
  expect(held.has('one')).toBe(true);
  await session.say(start, step, { type: 'text-start', id: 't' }, text);
  await recorder.flush();
  expect(await store.get('one')).toMatchObject({
    title: 'Mine',
    scriptId: 'script',
    scriptName: 'Mine',
    status: 'running',
    steps: 1,
    hasLog: true,
  });
  expect(await store.logs('one')).toEqual([session.run.log()]);
  await session.say(end);
  await recorder.flush();
  expect(held.has('one')).toBe(false);
  expect(await store.logs('one')).toEqual([session.run.log()]);
  expect(await store.get('one')).toMatchObject({ status: 'done' });
});

test('each reply is a turn of its own, and the parent of a fork is kept', async () => {
  const { store, recorder } = createTab(newName());
  const session = { ...createSession('two'), parent: { id: 'one', turn: 0, step: 1 } };
  recorder.follow(session);
  void session.run.start();
  await session.say(start, end);
  const first = session.run.log();
  const replied = { ...session, earlier: [{ log: first, state: session.run.getState() }] };
  recorder.follow(replied);
  void session.run.send('And now?');
  await session.say(start, step, end);
  await recorder.flush();
  expect(await store.logs('two')).toEqual([first, session.run.log()]);
  expect(await store.get('two')).toMatchObject({ turns: 2, parent: { id: 'one', turn: 0, step: 1 } });
});

test('a run and its reply can be read again, however long the id of their model is', async () => {
  const { store, recorder } = createTab(newName());
  const model = { name: 'm'.repeat(300), detail: 'd'.repeat(300) };
  const session = { ...createSession('long'), model };
  const shortened = { name: 'm'.repeat(200), detail: 'd'.repeat(200) };
  await record(recorder, session, start, end);
  expect(await store.get('long')).toMatchObject({ turns: 1, model: shortened });
  recorder.follow({ ...session, earlier: [{ log: session.run.log(), state: session.run.getState() }] });
  void session.run.send('And now?');
  await session.say(start, step, end);
  await recorder.flush();
  expect(await store.get('long')).toMatchObject({ turns: 2, model: shortened });
});

test('a run that starts again replaces its log', async () => {
  const { store, recorder } = createTab(newName());
  const session = createSession('three');
  await record(recorder, session, start, step, text, { type: 'run-end', outcome: 'stopped' });
  recorder.follow({ ...session });
  session.run.start().catch(() => {});
  await session.say(start, end);
  await recorder.flush();
  expect(await store.logs('three')).toEqual([session.run.log()]);
  expect(session.run.log()).toHaveLength(2);
});

test('an interrupted run opens as interrupted, and if two tabs continue it, the second one becomes a copy', async () => {
  const name = newName();
  const one = createTab(name);
  const session = createSession('four');
  await record(one.recorder, session, start);
  held.clear();

  const [first, second] = [createTab(name), createTab(name)];
  const opened = await openRun(first.store, 'four');
  const openedToo = await openRun(second.store, 'four');
  expect(opened.session.run.getState()).toMatchObject({ status: 'error', error: { code: 'interrupted' } });
  expect(opened.session).toMatchObject({ id: 'four', source: { script: '// mine' }, shared: false });
  for (const [tab, it] of [
    [first, opened],
    [second, openedToo],
  ] as const) {
    tab.recorder.opened(it.session, it.row);
    tab.recorder.follow({
      ...it.session,
      earlier: [{ log: it.session.run.log(), state: it.session.run.getState() }],
    });
    await tab.recorder.flush();
  }
  const rows = await first.store.list();
  expect(rows.map(({ title }) => title).toSorted()).toEqual(['Mine', 'Mine (copy)']);
  expect(second.recorder.idOf(openedToo.session)).not.toBe('four');
});

test('if two tabs reply at the same time, both replies are kept', async () => {
  const name = newName();
  const one = createTab(name);
  const session = createSession('both');
  await record(one.recorder, session, start, end);
  const tabs = [createTab(name), createTab(name)];
  const sessions = await Promise.all(
    tabs.map(async ({ store, recorder }) => {
      const opened = await openRun(store, 'both');
      recorder.opened(opened.session, opened.row);
      return opened.session;
    }),
  );
  for (const [index, { recorder }] of tabs.entries()) {
    const { run, ...rest } = sessions[index]!;
    run.configure({ executor: { start: () => new Promise(() => {}) } as never });
    const earlier = [{ log: run.log(), state: run.getState() }];
    run.send(`Reply ${index}`).catch(() => {});
    recorder.follow({ ...rest, run, earlier });
  }
  await Promise.all(tabs.map(({ recorder }) => recorder.flush()));
  const rows = await one.store.list();
  expect(rows.map(({ title, turns }) => `${title}: ${turns}`).toSorted()).toEqual([
    'Mine (copy): 2',
    'Mine: 2',
  ]);
  const logs = JSON.stringify(await Promise.all(rows.map(({ id }) => one.store.logs(id))));
  expect([...logs.matchAll(/Reply \d/g)].map(String).toSorted()).toEqual(['Reply 0', 'Reply 1']);
});

test('a copy of a run that another tab has continued stays apart from that run', async () => {
  const name = newName();
  const one = createTab(name);
  const session = createSession('original');
  await record(one.recorder, session, start, end);
  const [first, second] = [createTab(name), createTab(name)];
  const open = async ({ store, recorder }: typeof first, id: string) => {
    const opened = await openRun(store, id);
    return recorder.opened(opened.session, opened.row);
  };
  const sessions = [await open(first, 'original'), await open(second, 'original')];
  const replies: RunSession[] = [];
  for (const [index, { recorder }] of [first, second].entries()) {
    const { run, ...rest } = sessions[index]!;
    run.configure({ executor: { start: () => new Promise(() => {}) } as never });
    replies.push({ ...rest, run, earlier: [{ log: run.log(), state: run.getState() }] });
    run.send(`Reply ${index}`).catch(() => {});
    recorder.follow(replies[index]!);
    await recorder.flush();
  }
  const copy = replies[1]!;
  const copyId = second.recorder.idOf(copy)!;
  expect(copyId).not.toBe('original');

  // a fork of the copy is not one of the other tab's run, and is a fork of the copy here, too, when it is opened again
  const fork = { ...createSession('fork'), parent: { id: copy.id, turn: 0, step: 1 } };
  await record(second.recorder, fork, start, end);
  expect(await second.store.get('fork')).toMatchObject({ parent: { id: copyId } });
  expect(await open(second, 'fork')).toMatchObject({ id: 'fork', parent: { id: copy.id } });

  // the original is opened beside the copy, which is still in progress
  const original = await open(second, 'original');
  expect(original.id).not.toBe(copy.id);
  expect(second.recorder.idOf(original)).toBe('original');
  expect(second.recorder.inProgress(copyId)).toBe(copy);
  expect(held).toContain(copyId);
  expect(await open(second, 'original'), 'the tab has one id for each run').toMatchObject({
    id: original.id,
  });
});

test('a log that is too long is dropped, and the row records that', async () => {
  const { store, recorder } = createTab(newName());
  const session = createSession('five');
  recorder.follow(session);
  void session.run.start();
  const long = (number: number): object => ({ ...text, text: `${number}`.padEnd(1_000_000) });
  await session.say(start, step, { type: 'text-start', id: 't' }, long(0));
  await recorder.flush();
  expect(await store.logs('five')).toHaveLength(1);
  await session.say(...Array.from({ length: 16 }, (_, index) => long(index + 1)), end);
  await recorder.flush();
  expect(await store.get('five')).toMatchObject({ hasLog: false, size: 0, source: { script: '// mine' } });
  expect(await store.logs('five')).toEqual([]);
});

test('after a write that failed, the next one stores everything', async () => {
  const write = vi.fn<RunStore['write']>();
  const { store, recorder, onProblem } = createTab(newName(), (it) => {
    write.mockImplementation(it.write).mockRejectedValueOnce(new DOMException('full', 'QuotaExceededError'));
    return { ...it, write };
  });
  const session = createSession('six');
  await record(recorder, session, start, step);
  expect(onProblem).toHaveBeenCalledOnce();
  // even if no more events come, because there is space again
  await recorder.flush();
  expect(await store.logs('six')).toEqual([session.run.log()]);
  await session.say(end);
  await recorder.flush();
  expect(await store.logs('six')).toEqual([session.run.log()]);
});

test('a reply is stored before its turn has an event, and can be sent again after a reload', async () => {
  const name = newName();
  const { store, recorder } = createTab(name);
  const session = createSession('waiting');
  recorder.follow(session);
  void session.run.start();
  const own = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hello.' }] };
  const answer = [
    { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
    { type: 'text-start', id: 't' },
    text,
    { type: 'text-end', id: 't' },
    { type: 'step-end', step: 0, finishReason: 'stop', usage: {} },
  ];
  await session.say({ ...start, input: { city: 'Oslo' }, messages: [own] }, ...answer, end);
  await recorder.flush();
  const first = session.run.log();
  recorder.follow({ ...session, earlier: [{ log: first, state: session.run.getState() }] });
  session.run.send('And now?').catch(() => {});
  await expect.poll(() => store.logs('waiting')).toHaveLength(2);
  expect(session.run.log()).toEqual([]);
  expect(await store.get('waiting')).toMatchObject({ status: 'running', turns: 2 });

  held.clear();
  const opened = await openRun(createTab(name).store, 'waiting');
  const { run, earlier } = opened.session;
  expect(earlier.map(({ log }) => log)).toEqual([first]);
  expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'interrupted' } });
  expect(JSON.stringify(run.getState().messages)).toContain('And now?');
  const requests: unknown[] = [];
  run.configure({
    executor: {
      async *start({ input, messages }) {
        requests.push({ input, messages });
        yield { seq: 0, t: 0, ...start } as RunEvent;
        yield { seq: 1, t: 0, ...end } as RunEvent;
      },
    },
  });
  await run.retry();
  // the prompt creates its own message again
  expect(requests).toEqual([
    {
      input: { city: 'Oslo' },
      messages: [
        expect.objectContaining({ role: 'assistant' }),
        expect.objectContaining({ role: 'user', parts: [{ type: 'text', text: 'And now?' }] }),
      ],
    },
  ]);
  // the first events of the turn replace its stored beginning
  await session.say(start, step);
  await recorder.flush();
  expect((await store.logs('waiting'))?.[1]).toEqual(session.run.log());
});

test('a run is stored with its input before it has an event, and can be started again', async () => {
  const name = newName();
  const { store, recorder } = createTab(name);
  const session = { ...createSession('silent'), input: { city: 'Oslo' } };
  recorder.follow(session);
  session.run.start().catch(() => {});
  await expect.poll(() => store.logs('silent')).toHaveLength(1);
  held.clear();
  const opened = await openRun(createTab(name).store, 'silent');
  expect(opened.session.run.getState()).toMatchObject({
    status: 'error',
    error: { code: 'interrupted' },
  });
  expect(opened.session.run.log()[0]).toMatchObject({ type: 'run-start', input: { city: 'Oslo' } });
});

test('a first turn that runs again is stored with its input and its messages before it has an event', async () => {
  const name = newName();
  const own = { id: 'prompt-0', role: 'user', parts: [{ type: 'text', text: 'Hello.' }] };
  const begun = { t: 0, seq: 0, ...start, input: { city: 'Oslo' }, messages: [own] };
  const fork = createSession('again', [begun, step, { type: 'run-end', outcome: 'stopped' }]);
  await fork.run.restored;
  await vi.dynamicImportSettled();
  const { store, recorder } = createTab(name);
  recorder.follow(fork);
  fork.run.retry({ from: 0 }).catch(() => {});
  await recorder.flush();
  expect(await store.logs('again')).toEqual([[begun]]);

  // the page is closed, and the next one continues the run
  held.clear();
  const later = createTab(name);
  const opened = await openRun(later.store, 'again');
  const session = later.recorder.opened(opened.session, opened.row);
  const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
  session.run.configure({ executor: { start: () => silent } as never });
  later.recorder.follow({ ...session });
  session.run.retry().catch(() => {});
  await later.recorder.flush();
  expect(session.run.log()).toEqual([]);
  expect(await store.logs('again')).toEqual([[begun]]);
});

test('a stored run can be opened, however long its prompt is', async () => {
  const { store, recorder } = createTab(newName());
  const prompt = { ...emptyPrompt('long'), userPrompt: 'x'.repeat(200_001), userPromptParameters: [] };
  const source = { prompts: { prompts: [prompt], selected: 0, values: {} } };
  const session = { ...createSession('long'), source };
  await record(recorder, session, start, end);
  expect(await openStoredRun(store, 'long')).toMatchObject({
    session: { run: { definition: { name: 'long' } }, source },
  });
});

test('a stored run knows its script by id and name, also under another title', async () => {
  const { store, recorder } = createTab(newName());
  const session = createSession('named');
  recorder.follow(session);
  void session.run.start();
  await session.say(start, end);
  recorder.amend('named', { title: 'The good one' });
  await recorder.flush();
  expect(await openStoredRun(store, 'named')).toMatchObject({
    row: { title: 'Mine' },
    session: { openScript: { id: 'script', name: 'Mine' } },
  });
  await store.update('named', { title: 'The good one' });
  expect(await openStoredRun(store, 'named')).toMatchObject({
    row: { title: 'The good one' },
    session: { openScript: { id: 'script', name: 'Mine' } },
  });
});

test('a stored fork says where it branches off, and what was edited', async () => {
  const { store, recorder } = createTab(newName());
  const parent = createSession('parent');
  const call = { step: 0, toolCallId: 'c', toolName: 'look' };
  const edited = { ...createSession('edited'), parent: { id: 'parent', turn: 0, step: 1 } };
  const plain = { ...createSession('plain'), parent: { id: 'parent', turn: 0, step: 1, agent: 'a' } };
  const scripts = { ...createSession('scripts'), parent: edited.parent, source: { script: '// other' } };
  for (const session of [parent, edited, plain, scripts]) {
    recorder.follow(session);
    void session.run.start();
    const result = { type: 'tool-end', ...call, output: 1, ...(session === edited && { edited: true }) };
    await session.say(start, step, { type: 'tool-call', ...call, input: {} }, result, end);
  }
  await recorder.flush();
  const label = async (id: string) => forkLabel((await store.get(id))!, await store.get('parent'));
  expect(await label('parent')).toBeUndefined();
  expect(await label('edited')).toBe('From step 2 of “Mine”, result edited');
  expect(await label('plain')).toBe('From step 2 of an agent of “Mine”');
  expect(await label('scripts')).toBe('From step 2 of “Mine”, script edited');
  expect(forkLabel((await store.get('plain'))!)).toBe('From step 2 of an agent of another run');
});
