import { createRun, definePrompt, type Executor, type Run, type RunEvent } from '@cueline/core';
import { replay } from '@cueline/core/replay';
import { scriptedModel } from '@cueline/core/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createBrowser } from '../support/browser.ts';
import { killTabs } from '../support/killed-tabs.ts';
import { createHub } from '../support/memory-route.ts';
import { after } from '../support/runs.ts';
import { finish, openRun, recordedLog, send, slowly, until, type World } from './mail-run.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

let scopes = 0;
/** A browser with three tabs, and what their runs have written. */
function open() {
  const browser = createBrowser(`scope-${(scopes += 1)}`);
  const [first, second, third] = [browser.openTab(), browser.openTab(), browser.openTab()] as const;
  const world: World = { written: [] };
  return { browser, first, second, third, world };
}

/** Starts a run that answers slowly, and waits for the first word of its answer. */
async function startSlowly(run: Run): Promise<void> {
  run.start().catch(() => {});
  await until(() => run.getState().text === 'I ');
}

const types = (run: Run) => run.log().map(({ type }) => type);
const ends = (log: readonly RunEvent[]) => log.filter(({ type }) => type === 'run-end').length;
describe('a run that is running in one tab', () => {
  test('is followed live by tabs that are opened before and after its start', async () => {
    const { browser, first, second, third, world } = open();
    const early = await openRun(third, world, []);
    const run = await openRun(first, world, [slowly, 'Bye.']);
    const result = run.start();
    await until(() => run.getState().text === 'I ');
    const other = await openRun(second, world, []);
    await until(() => other.getState().text === 'I ');
    await until(() => early.getState().text === 'I ');
    expect(other.getState().status).toBe('running');
    await until(() => other.getState().text.startsWith('I am'));
    await result;
    await until(() => other.getState().status === 'done' && early.getState().status === 'done');
    expect(other.log()).toEqual(run.log());
    expect(early.log()).toEqual(run.log());
    expect(browser.logs.get('mail')).toEqual(run.log());
    await until(() => browser.holders() === 0);
  });

  test('is stopped, answered and edited from another tab', async () => {
    const { first, second } = open();
    let go = (): void => {};
    const world: World = { written: [], hold: new Promise((resolve) => (go = resolve)) };
    const run = await openRun(first, world, [send('ada'), slowly]);
    const result = run.start();
    result.catch(() => {});
    await until(() => types(run).includes('tool-start'));
    const other = await openRun(second, world, []);
    await until(() => other.getState().toolCalls.length === 1);
    expect(await other.edit({ type: 'add', title: 'Two' })).toEqual({ accepted: true });
    await until(() => run.getState().tasks.length === 2);
    go();
    await until(() => other.getState().toolCalls[0]?.state === 'output-available');
    await until(() => other.getState().text === 'I ');
    other.stop();
    await until(() => run.getState().status === 'stopped' && other.getState().status === 'stopped');
    expect(other.log()).toEqual(run.log());
    expect(world.written).toEqual(['ada']);
  });

  test.each([
    ['and then not continued there', false],
    ['and then continued there if something watches it', true],
  ])('continues when another tab stops it only for itself, %s', async (_, isWatched) => {
    const { browser, first, second, world } = open();
    const run = await openRun(first, world, [slowly, 'Never.']);
    await startSlowly(run);
    const other = await openRun(second, world, [finish, 'Mine.']);
    await until(() => other.getState().text === 'I ');
    other.stopHere();
    if (isWatched) other.subscribe(() => {});
    await until(() => other.getState().text.startsWith('I am'));
    expect([run.getState().status, other.getState().status]).toEqual(['running', 'running']);
    first.kill();
    await until(() => !['running', 'waiting'].includes(other.getState().status));
    await until(() => other.getState().status === (isWatched ? 'done' : 'stopped'));
    await until(() => browser.holders() === 0);
    if (!isWatched) expect(await other.retry()).toBe('Mine.');
  });

  test('is ended by the tab that works on it when it stops it for itself', async () => {
    const { first, second } = open();
    const run = await openRun(first, { written: [] }, [slowly]);
    await startSlowly(run);
    const other = await openRun(second, { written: [] }, [slowly]);
    // what this tab has waiting is dropped, and its own start is its own
    const queued = other.start(undefined, { whenBusy: 'queue' });
    other.stopHere();
    await expect(queued).rejects.toMatchObject({ code: 'aborted' });
    run.stopHere();
    await until(() => run.getState().status === 'stopped' && other.getState().status === 'stopped');
    other.start().catch(() => {});
    await until(() => other.getState().text === 'I ');
    other.stopHere();
    await until(() => run.getState().status === 'stopped' && other.getState().status === 'stopped');
  });

  test('is continued by one other tab when its tab is closed, and writes nothing twice', async () => {
    const { browser, first, second, third, world } = open();
    const run = await openRun(first, world, [send('ada'), slowly, 'Never.']);
    run.start().catch(() => {});
    await until(() => run.getState().text.includes('I '));
    const heirs = [
      await openRun(second, world, [send('ben'), finish, 'Both.']),
      await openRun(third, world, [send('ben'), finish, 'Both.']),
    ];
    await until(() => heirs.every((heir) => heir.getState().text.includes('I ')));
    const failures: RunEvent[] = [];
    for (const heir of heirs)
      heir.listen((event) => event.type === 'run-end' && event.outcome === 'error' && failures.push(event));
    first.kill();
    await until(() => heirs.every((heir) => heir.getState().status === 'done'));
    expect(failures).toEqual([]);
    expect(world.written).toEqual(['ada', 'ben']);
    expect(heirs[0]!.log()).toEqual(heirs[1]!.log());
    expect(ends(heirs[0]!.log())).toBe(1);
    expect(browser.logs.get('mail')).toEqual(heirs[0]!.log());
  });

  test('ends when another tab starts it again, and the first tab follows the new run', async () => {
    const { browser, first, second, world } = open();
    const run = await openRun(first, world, [slowly, slowly, slowly]);
    const result = run.start();
    result.catch(() => {});
    await until(() => run.getState().text === 'I ');
    const other = await openRun(second, world, [send('ben'), finish, 'New.']);
    await until(() => other.getState().text === 'I ');
    expect(await other.start()).toBe('New.');
    await expect(result).rejects.toMatchObject({ code: 'aborted' });
    await until(() => run.getState().text === 'New.');
    expect(run.log()).toEqual(other.log());
    expect(browser.logs.get('mail')).toEqual(other.log());
  });

  test('keeps its work when it is retried from another tab', async () => {
    const { first, second } = open();
    let go = (): void => {};
    const world: World = { written: [], hold: new Promise((resolve) => (go = resolve)) };
    const run = await openRun(first, world, [send('ada'), slowly, slowly]);
    run.start().catch(() => {});
    await until(() => types(run).includes('tool-start'));
    const other = await openRun(second, world, [finish, 'Again.']);
    go();
    expect(await other.retry()).toBe('Again.');
    expect(world.written).toEqual(['ada']);
    await until(() => run.getState().text.endsWith('Again.'));
  });

  test.each([
    ['and has stored its events', true],
    ['and has a batch that is not stored', false],
  ])(
    'is lost by a tab that does not answer %s, and does nothing more when it returns',
    async (_, isStored) => {
      const { browser, first, second } = open();
      let go = (): void => {};
      const world: World = { written: [], hold: new Promise((resolve) => (go = resolve)) };
      const run = await openRun(first, world, [
        [{ text: 'Now. ' }, { delay: 200 }, ...(send('ada') as [])],
        slowly,
      ]);
      run.start().catch(() => {});
      await until(() => run.getState().text === 'Now. ');
      const other = await openRun(second, { written: world.written }, [finish, 'Mine.']);
      await until(() => other.getState().text === 'Now. ');
      first.freeze();
      if (isStored) {
        // from here on, the call of the frozen tab waits until its events are stored
        await until(() => types(run).includes('tool-input-end'));
        await after(200);
      }
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const edited = other.edit({ type: 'add', title: 'Two' });
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await edited).toMatchObject({ accepted: false });
      const started = other.start();
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await started).toBe('Mine.');
      await expect.poll(() => browser.logs.get('mail')).toEqual(other.log());
      vi.useRealTimers();
      go();
      await after(50);
      expect(world.written).toEqual([]);
      first.thaw();
      await until(() => run.getState().text === 'Mine.');
      expect(world.written).toEqual([]);
      expect(browser.logs.get('mail')).toEqual(other.log());
    },
  );
});

test('can be started next by any tab once it is over', async () => {
  const { browser, first, second, world } = open();
  const run = await openRun(first, world, [finish, 'One.', 'Three.']);
  const other = await openRun(second, world, ['Two.']);
  expect(await run.start()).toBe('One.');
  await until(() => other.getState().text === 'One.');
  expect(await other.send('And?')).toBe('Two.');
  await until(() => run.getState().text === 'Two.');
  expect(await run.send('More?')).toBe('Three.');
  await until(() => other.getState().text === 'Three.');
  expect(run.log()).toEqual(other.log());
  expect(browser.logs.get('mail')).toEqual(run.log());
});

test('is interrupted by a reload of the only tab, and nothing starts by itself', async () => {
  const { browser, first, second, world } = open();
  const run = await openRun(first, world, [slowly, 'Never.']);
  await startSlowly(run);
  await until(() => (browser.logs.get('mail')?.length ?? 0) > 3);
  first.kill();
  const again = await openRun(second, world, [finish, 'Again.']);
  expect(again.getState()).toMatchObject({ status: 'error', error: { code: 'interrupted' } });
  expect(await again.retry()).toBe('Again.');
});

test('takes no writing effect twice when tabs are killed, reloaded and used at random moments', async () => {
  // killed-tabs.long.test.ts has 200 such moments
  for (let seed = 1_001; seed <= 1_005; seed += 1) {
    const { writes, ...killed } = await killTabs(seed);
    expect([seed, killed]).toMatchObject([seed, { result: 'done done done', isSame: true, ends: 1 }]);
    for (const [what, times] of writes) expect([seed, what, times]).toEqual([seed, what, 1]);
  }
}, 120_000);

test('a run that was on a route before is followed live by other tabs when it starts in the page', async () => {
  const { first, second } = open();
  const run = await openRun(first, { written: [] }, [slowly, 'Bye.']);
  run.configure({ executor: replay(await recordedLog(), { speed: Infinity }) });
  await run.start();
  const other = await openRun(second, { written: [] }, []);
  run.configure({ executor: undefined });
  first.use();
  void run.start();
  await until(() => other.getState().text === 'I ');
  await until(() => run.getState().status === 'done');
  await until(() => other.getState().status === 'done');
  expect(other.log()).toEqual(run.log());
});

test('a run is stored without other tabs where the page may use no locks', async () => {
  const { browser, first: tab } = open();
  tab.use();
  const denied = async (): Promise<never> => {
    throw new DOMException('Access is denied.', 'SecurityError');
  };
  vi.stubGlobal('navigator', { locks: { request: denied, query: denied } });
  const run = createRun(
    definePrompt('mail', (prompt) => prompt.$`Write.`),
    { id: 'mail', storage: tab.storage, model: scriptedModel(['Hello.']) },
  );
  expect(await run.start()).toBe('Hello.');
  expect(run.getState().storageError).toBeUndefined();
  await until(() => browser.logs.get('mail')?.at(-1)?.type === 'run-end');
});

test('a conversation on a route is one in all tabs', async () => {
  const { browser, first, second } = open();
  const talk = definePrompt('talk', (prompt) => prompt.defSystem('role', 'You are brief.'));
  const { executor } = createHub(talk, { model: scriptedModel(['One.', 'Two.', 'Three.']) });
  const [run, other] = [first, second].map(({ storage, use }) => {
    use();
    const opened = createRun(talk, { id: 'talk', storage, executor });
    return { run: opened, restored: opened.restored };
  }) as [{ run: Run; restored: Promise<void> }, { run: Run; restored: Promise<void> }];
  await Promise.all([run.restored, other.restored]);
  const says = (text: string): boolean => JSON.stringify(browser.logs.get('talk')).includes(text);
  expect(await run.run.send('A')).toBe('One.');
  await until(() => other.run.getState().text === 'One.');
  expect(await other.run.send('B')).toBe('Two.');
  expect([says('"A"'), says('"B"')]).toEqual([true, true]);
  await until(() => run.run.getState().text === 'Two.');
  expect(await run.run.send('C')).toBe('Three.');
  await until(() => other.run.getState().text === 'Three.');
  expect(run.run.log()).toEqual(other.run.log());
  expect(browser.logs.get('talk')).toEqual(run.run.log());
});

test('a detached run that has ended in its tab shows its end when it is attached, and is stored', async () => {
  const { browser, first } = open();
  const run = await openRun(first, { written: [] }, [slowly, 'Bye.']);
  const result = run.start();
  await until(() => types(run).includes('run-start'));
  run.detach();
  await until(() => browser.holders() === 0);
  expect(run.getState().status).toBe('running');
  run.attach();
  expect(await result).toBe('Bye.');
  await until(() => browser.logs.get('mail')?.at(-1)?.type === 'run-end');
  expect(browser.logs.get('mail')).toEqual(run.log());
  await until(() => browser.holders() === 0);
});

test('a run whose executor fails between two batches has its end in all tabs, and is not repeated', async () => {
  const { browser, first, second } = open();
  let starts = 0;
  const executor: Executor = {
    async *start() {
      starts += 1;
      yield { seq: 0, t: 0, type: 'run-start', v: 2, runId: 'r', model: 'm:x', messages: [], messageId: 'a' };
      await after(300);
      throw new Error('broken');
    },
  };
  const fail = definePrompt('fail', (prompt) => prompt.$`Fail.`);
  first.use();
  const run = createRun(fail, { id: 'mail', storage: first.storage, executor });
  run.start().catch(() => {});
  await until(() => browser.logs.get('mail')?.length === 1);
  second.use();
  const other = createRun(fail, { id: 'mail', storage: second.storage, executor });
  await other.restored;
  await until(() => run.getState().status === 'error' && other.getState().status === 'error');
  await after(300);
  expect([starts, browser.logs.get('mail')?.at(-1)?.type]).toEqual([1, 'run-end']);
  expect(other.log()).toEqual(run.log());
});
