import { createRun, definePrompt, type RunEvent, type RunStorage } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { createBrowser } from '../support/browser.ts';
import { after } from '../support/runs.ts';
import { finish, openRun, recordedLog, send, slowly, until, type World } from './mail-run.ts';

afterEach(() => vi.unstubAllGlobals());

test.each(['here', 'in another tab'])(
  'a run is not continued if it is stopped %s right after its tab was closed',
  async (where) => {
    const browser = createBrowser(`stopped ${where}`);
    const [first, second, third] = [browser.openTab(), browser.openTab(), browser.openTab()] as const;
    const world: World = { written: [] };
    const run = await openRun(first, world, [slowly, 'Never.']);
    run.start().catch(() => {});
    await until(() => run.getState().text === 'I ');
    const heir = await openRun(second, world, [send('ben'), finish, 'Never.']);
    const other = await openRun(third, world, [send('ben'), finish, 'Never.']);
    await until(() => [heir, other].every((each) => each.getState().text === 'I '));
    first.kill();
    await after(20);
    (where === 'here' ? heir : other).stop();
    await until(() => [heir, other].every((each) => each.getState().status === 'stopped'));
    await until(() => browser.holders() === 0);
    expect(browser.logs.get('mail')?.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
    expect([heir.log(), other.log()]).toEqual([browser.logs.get('mail'), browser.logs.get('mail')]);
    expect(world.written).toEqual([]);
  },
);

test('of two retries that wait for another tab, only the later one continues the run', async () => {
  const browser = createBrowser('two retries');
  const [first, second] = [browser.openTab(), browser.openTab()] as const;
  const world: World = { written: [] };
  const run = await openRun(first, world, [slowly, slowly]);
  run.start().catch(() => {});
  await until(() => run.getState().text === 'I ');
  // the storage answers the first retry at once, and the second one while the first is at work
  let loads = 0;
  const storage: RunStorage = {
    ...second.storage,
    async load(id) {
      const stored = await second.storage.load(id);
      if ((loads += 1) > 2) await after(30);
      return stored;
    },
  };
  const again: ScriptedTurn = [{ delay: 60 }, { toolCall: { name: 'send', input: { to: 'ben' } } }];
  const other = await openRun(second, world, [again, again, finish, 'Mine.'], storage);
  await until(() => other.getState().text === 'I ');
  // the first tab begins anew before the retries reach it
  first.freeze();
  const both = [other.retry(), other.retry()];
  const [start] = run.log();
  run.retry().catch(() => {});
  await until(() => run.log().length > 0 && run.log()[0] !== start);
  first.thaw();
  await Promise.allSettled(both);
  expect(await both[1]).toBe('Mine.');
  expect(world.written).toEqual(['ben']);
  await until(() => browser.holders() === 0);
  expect(browser.logs.get('mail')).toEqual(other.log());
});

test('a tab that is opened next to one that has not read what has happened shows what is stored', async () => {
  const browser = createBrowser('behind');
  const [first, second, third, fourth] = [
    browser.openTab(),
    browser.openTab(),
    browser.openTab(),
    browser.openTab(),
  ] as const;
  const world: World = { written: [] };
  const run = await openRun(first, world, [slowly, 'Never.']);
  run.start().catch(() => {});
  await until(() => run.getState().text === 'I ');
  const heir = await openRun(second, world, [finish, 'Mine.']);
  let answer = (): void => {};
  const isRead = new Promise<void>((resolve) => (answer = resolve));
  let loads = 0;
  const storage: RunStorage = {
    ...third.storage,
    async load(id) {
      if ((loads += 1) > 1) await isRead;
      return third.storage.load(id);
    },
  };
  const waiting = await openRun(third, world, ['Never.'], storage);
  await until(() => [heir, waiting].every((each) => each.getState().text === 'I '));
  // the first tab does not answer the retry any more, so that the second one ends the run
  first.freeze();
  const retried = waiting.retry();
  await after(20);
  first.kill();
  await until(() => heir.getState().status === 'done');
  const whole = [...heir.log()];
  await until(() => loads === 2);
  const opened = await openRun(fourth, world, ['Never.']);
  await after(50);
  answer();
  expect(await retried).toBe('Mine.');
  await until(() => browser.holders() === 0);
  expect(opened.log()).toEqual(whole);
  expect(waiting.log()).toEqual(whole);
  expect(browser.logs.get('mail')).toEqual(whole);
});

test('of starts in several tabs at the same moment one counts, and every tab shows it', async () => {
  const browser = createBrowser('starts at once');
  const world: World = { written: [] };
  const endless: ScriptedTurn = [{ text: 'I ' }, { delay: 60_000 }, { text: 'am ' }];
  const tabs = [browser.openTab(), browser.openTab(), browser.openTab()];
  const runs = await Promise.all(tabs.map((tab) => openRun(tab, world, [endless])));
  const ends = Promise.allSettled(runs.map((run) => run.start()));
  await until(() => runs.every((run) => run.getState().text === 'I '));
  await until(() => new Set(runs.map((run) => run.getState().runId)).size === 1);
  expect(browser.holders()).toBe(1);
  runs[0]!.stop();
  await until(() => runs.every((run) => run.getState().status === 'stopped'));
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await until(() => browser.holders() === 0);
  for (const run of runs) expect(run.log()).toEqual(browser.logs.get('mail'));
});

test('a message that another tab stops before it is sent stays in the conversation', async () => {
  const browser = createBrowser('sent at once');
  const world: World = { written: [] };
  const [first, second, third] = [browser.openTab(), browser.openTab(), browser.openTab()] as const;
  const run = await openRun(first, world, [finish, 'Hello.']);
  await run.start();
  await until(() => browser.holders() === 0);
  const storage: RunStorage = {
    ...second.storage,
    async load(id) {
      await after(50);
      return second.storage.load(id);
    },
  };
  const one = await openRun(second, world, ['One.'], storage);
  const two = await openRun(third, world, ['Two.']);
  const ignored = one.send('First question').catch(() => {});
  await after(20);
  expect(await two.send('Second question')).toBe('Two.');
  await ignored;
  await until(() => browser.holders() === 0);
  const asked = two.getState().messages.flatMap(({ role, parts }) => (role === 'user' ? parts : []));
  expect(asked.map((part) => part.type === 'text' && part.text)).toEqual([
    'Write.',
    'First question',
    'Second question',
  ]);
  expect(one.log()).toEqual(two.log());
});

test('a message whose prompt function never returns does not hold back that of another tab', async () => {
  const browser = createBrowser('slow prompt function');
  const [first, second] = [browser.openTab(), browser.openTab()] as const;
  const log: RunEvent[] = [...(await recordedLog())];
  browser.logs.set('mail', log);
  first.use();
  const hanging = definePrompt('mail', async () => new Promise<void>(() => {}));
  const one = createRun(hanging, { id: 'mail', storage: first.storage, model: scriptedModel([]) });
  await one.restored;
  const two = await openRun(second, { written: [] }, [finish, 'Two.']);
  one.send('First question').catch(() => {});
  await after(50);
  expect(await two.send('Second question')).toBe('Two.');
});
