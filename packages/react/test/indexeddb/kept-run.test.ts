import { createRun, definePrompt, inProcess, type Run, type RouteExecutor } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import { freshDatabase, withoutLocks } from './logs.ts';

const planDay = definePrompt('plan-day', (prompt, input: { city: string }) => {
  prompt.$`Plan a day in ${input.city}.`;
});

/** Says the first half, and the second half only long after. */
const halting: ScriptedTurn = [{ text: 'Take the tram' }, { delay: 600 }, { text: ' up to Graça.' }];

test('a run that has ended is restored, and its conversation continues', async () => {
  const { tab } = freshDatabase();
  const model = scriptedModel(['Take the tram.', 'Walk down.']);
  await createRun(planDay, { id: 'planner', model, storage: tab() }).start({ city: 'Lisbon' });

  const storage = tab();
  await expect.poll(() => storage.list()).toMatchObject([{ outcome: 'done' }]);
  const again = createRun(planDay, { id: 'planner', model, storage });
  await again.restored;
  expect(again.getState()).toMatchObject({ status: 'done', text: 'Take the tram.' });
  await again.send('And then?');
  await expect.poll(() => storage.load('planner')).toEqual(again.log());
  expect(again.getState()).toMatchObject({ text: 'Walk down.' });
  expect(again.getState().storageError).toBeUndefined();
  expect(model.calls).toHaveLength(2);
});

test('a second tab follows a run that continues in the first, and both have the whole log', async () => {
  const { tab } = freshDatabase();
  const model = scriptedModel([halting, 'Walk down.']);
  const first = createRun(planDay, { id: 'planner', model, storage: tab() });
  const finished = first.start({ city: 'Lisbon' });
  await halfStored(tab);

  const second = createRun(planDay, { id: 'planner', model, storage: tab() });
  await second.restored;
  expect(second.getState()).toMatchObject({ status: 'running', text: 'Take the tram' });
  expect(await finished).toBe('Take the tram up to Graça.');
  await expect.poll(() => second.getState().status).toBe('done');
  expect(second.log()).toEqual(first.log());
  await expect.poll(() => tab().load('planner')).toEqual(first.log());
  expect(model.calls).toHaveLength(1);

  expect(await second.send('And then?')).toBe('Walk down.');
  await expect.poll(() => first.getState().text).toBe('Walk down.');
  expect([first, second].map((run) => run.getState().storageError)).toEqual([undefined, undefined]);
});

test('a second tab that follows a run on a route has no error of the storage', async () => {
  const { tab } = freshDatabase();
  const executor: RouteExecutor = { ...inProcess(), remote: true };
  const slowly: ScriptedTurn = [
    { text: 'Take ' },
    { delay: 600 },
    { text: 'the ' },
    { delay: 1_500 },
    { text: 'tram.' },
  ];
  const model = scriptedModel([slowly]);
  const first = createRun(planDay, { id: 'planner', model, executor, storage: tab() });
  const finished = first.start({ city: 'Lisbon' });
  await halfStored(tab);

  const second = createRun(planDay, { id: 'planner', model, executor, storage: tab() });
  await second.restored;
  expect(second.getState().status).toBe('running');
  expect(await finished).toBe('Take the tram.');
  await expect.poll(() => second.getState()).toMatchObject({ status: 'done', text: 'Take the tram.' });
  expect([first, second].map((run) => run.getState().storageError)).toEqual([undefined, undefined]);
  await expect.poll(() => tab().load('planner')).toEqual(first.log());
});

test('a run whose page was closed is interrupted, and a retry is stored in its place', async () => {
  withoutLocks(); // as if the page of the first had gone
  const { tab } = freshDatabase();
  const model = scriptedModel([halting, 'Take a taxi.']);
  const gone = createRun(planDay, { id: 'planner', model, storage: tab() });
  gone.start({ city: 'Lisbon' }).catch(() => {});
  await halfStored(tab);

  const storage = tab();
  const again: Run<{ city: string }> = createRun(planDay, { id: 'planner', model, storage });
  await again.restored;
  expect(again.getState()).toMatchObject({ status: 'error', error: { code: 'interrupted' } });
  // a page that loads it sees that it broke off, so that need not be stored
  expect((await storage.list()).map(({ outcome }) => outcome)).toEqual([undefined]);
  expect(await again.retry()).toBe('Take a taxi.');
  await expect.poll(() => storage.load('planner')).toEqual(again.log());
  expect(await storage.list()).toMatchObject([{ id: 'planner', name: 'plan-day', outcome: 'done' }]);
  gone.stop();
});

async function halfStored(tab: ReturnType<typeof freshDatabase>['tab']): Promise<void> {
  await expect
    .poll(async () => (await tab().load('planner'))?.map(({ type }) => type))
    .toContain('text-delta');
}
