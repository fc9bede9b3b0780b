import { createRun, definePrompt, viaRoute, type Run } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, json, types } from '../support.ts';
import { planned } from '../support/durable-runs.ts';
import { createHub } from '../support/memory-route.ts';
import { failure } from '../support/retried-runs.ts';
import { after, codeOf, memoryStorage, nextEvent, type MemoryStorage } from '../support/runs.ts';
import { endless, stored } from '../support/stored-runs.ts';

/** A page with the run `a`, whose storage takes a moment for each batch. */
type Page = {
  run: Run;
  /** First and last `seq` of each batch that it has stored. */
  batches: MemoryStorage['batches'];
  /** Resolves once the page is closed: nothing more of it is stored. */
  closed: Promise<void>;
};

/** Opens a page that is closed right after it has stored its `last`th batch that begins a log. */
function openPage(
  storage: MemoryStorage,
  sent: string[],
  turns: readonly ScriptedTurn[],
  last = Infinity,
): Page {
  let begun = 0;
  let isClosed = false;
  let close = (): void => {};
  const closed = new Promise<void>((resolve) => (close = resolve));
  const batches: Page['batches'] = [];
  const slow: MemoryStorage = {
    ...storage,
    async append(id, events) {
      await after(8);
      if (isClosed) return new Promise(() => {});
      await storage.append(id, events);
      batches.push([events[0]!.seq, events.at(-1)!.seq]);
      if (events[0]!.seq === 0) begun += 1;
      if (begun < last) return;
      isClosed = true;
      close();
    },
  };
  const mail = definePrompt('mail', (prompt) => {
    const send = ({ to }: { to: string }) => sent.push(to) && 'sent';
    prompt.defTool('send', 'Sends', z.object({ to: z.string() }), send, { effect: 'external' });
    prompt.$`Write.`;
  });
  const options = { maxRetries: 0 };
  const run = createRun(mail, { id: 'a', storage: slow, model: planned(turns), options });
  return { run, batches, closed };
}

const send = (to: string, says = 'Now. '): ScriptedTurn => [
  { text: says, chunkSize: 1 },
  call('send', { to }, `send-${to}`),
];

/** The stored log of a run that has sent a mail and then failed. */
async function failedAfterMail(sent: string[], says: string): Promise<MemoryStorage> {
  const storage = memoryStorage();
  const { run } = openPage(storage, sent, [send('ada', says), failure]);
  expect(await codeOf(run.start())).toBe('provider_error');
  await expect.poll(() => stored(storage)).toEqual(json(run.log()));
  return storage;
}

const greet = definePrompt('greet', (prompt) => {
  prompt.defTool('look', 'Looks', z.object({}), () => 'seen');
  prompt.$`Greet.`;
});

/** How many events of a log come before its last `run-resume`. */
const keptIn = (run: Run): number => run.log().findLastIndex(({ type }) => type === 'run-resume');

describe.each([
  ['a short log', 'Now. '],
  ['a log of more than 500 events', 'well '.repeat(130)],
])('a retry of %s', (_log, says) => {
  test('that is closed right after its first write repeats no call', async () => {
    const sent: string[] = [];
    const storage = await failedAfterMail(sent, says);
    const page = openPage(storage, sent, [send('ada', says), endless], 1);
    await page.run.restored;
    void page.run.retry();
    await page.closed;
    page.run.detach();
    const left = stored(storage);
    expect(types(left)).toContain('step-end');
    expect(page.batches[0]![1]).toBeGreaterThanOrEqual(keptIn(page.run) - 1);

    const later = openPage(storage, sent, [send('ada', says), 'Sent.']);
    await later.run.restored;
    expect(await later.run.retry()).toBe('Sent.');
    expect(sent).toEqual(['ada']);
    expect(later.run.log().slice(0, keptIn(later.run))).toEqual(left.slice(0, keptIn(later.run)));
    await expect.poll(() => stored(storage)).toEqual(json(later.run.log()));
    page.run.stop();
  });

  test('repeats no call if its storage was still writing what came before', async () => {
    const sent: string[] = [];
    const storage = memoryStorage();
    const page = openPage(storage, sent, [send('ada', says), failure], 2);
    expect(await codeOf(page.run.start())).toBe('provider_error');
    expect(stored(storage).length).toBeLessThan(page.run.log().length);
    void page.run.retry();
    await page.closed;
    page.run.detach();

    const later = openPage(storage, sent, [send('ada', says), 'Sent.']);
    await later.run.restored;
    expect(await later.run.retry()).toBe('Sent.');
    expect(sent).toEqual(['ada']);
    page.run.stop();
  });

  test('stores in its first write all that it keeps, and after it what is new', async () => {
    const sent: string[] = [];
    const storage = await failedAfterMail(sent, says);
    const { run, batches } = openPage(storage, sent, [send('ada', says), send('ben', says), 'Both.']);
    await run.restored;
    expect(await run.retry()).toBe('Both.');
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
    const [[first, last], ...others] = batches as [[number, number], ...[number, number][]];
    expect([first, last >= keptIn(run) - 1]).toEqual([0, true]);
    // only what replaces a log may be long
    expect(others.every(([from, to]) => from > 0 && to - from < 500)).toBe(true);
    expect(sent).toEqual(['ada', 'ben']);
  });
});

test('a reload right after a retry on a route finds the new run', async () => {
  const slowly: ScriptedTurn = [{ delay: 300 }, { text: 'Hello.' }];
  const model = scriptedModel([[call('look')], failure, slowly]);
  const { fetch, asked } = createHub(greet, { model, options: { maxRetries: 0 } });
  const executor = viaRoute('https://example.test/api/greet', { fetch });
  const storage = memoryStorage();
  const run = createRun(greet, { id: 'a', storage, executor });
  expect(await codeOf(run.start())).toBe('provider_error');
  await expect.poll(() => stored(storage)).toEqual(json(run.log()));
  const [first] = stored(storage);
  void run.retry();
  await nextEvent(run, 'run-resume');
  // far less than what other events may wait to be stored
  await after(10);
  const left = memoryStorage({ a: stored(storage) });
  const resumed = stored(left).findLast(({ type }) => type === 'run-resume');
  expect(resumed).toMatchObject({ runId: run.getState().runId });
  expect(resumed).not.toMatchObject({ runId: (first as { runId: string }).runId });

  const reloaded = createRun(greet, { id: 'a', storage: left, executor });
  await reloaded.restored;
  expect(reloaded.getState().status).toBe('running');
  await expect.poll(() => reloaded.getState()).toMatchObject({ status: 'done', text: 'Hello.' });
  expect(reloaded.getState().runId).toBe(run.getState().runId);
  expect(asked().filter((request) => request === 'POST')).toHaveLength(2);
  expect(model.calls).toHaveLength(3);
});

test('a page that is closed right after a retry on a route inside a step can retry again', async () => {
  const greet = definePrompt('greet', (prompt) => {
    prompt.defTool('wave', 'Waves', z.object({}), () => new Promise(() => {}), { effect: 'external' });
    prompt.$`Greet.`;
  });
  const model = scriptedModel([[call('wave')], 'Hello.']);
  const hub = createHub(greet, {
    model,
    instead({ method }) {
      if (method === 'GET') return new Response(null, { status: 204 });
      const starts = hub.asked().filter((request) => request === 'POST').length;
      return method === 'POST' && starts === 2 ? new Promise<Response>(() => {}) : undefined;
    },
  });
  const executor = viaRoute('https://example.test/api/greet', { fetch: hub.fetch });
  const storage = memoryStorage();
  const run = createRun(greet, { id: 'a', storage, executor });
  const started = run.start();
  await nextEvent(run, 'tool-start');
  run.stop();
  expect(await codeOf(started)).toBe('aborted');
  await expect.poll(() => types(hub.log()).at(-1)).toBe('run-end');
  run.retry().catch(() => {});
  await expect.poll(() => types(stored(storage)).at(-1)).toBe('step-end');
  await expect.poll(() => hub.requests.length).toBe(3);

  const reloaded = createRun(greet, { id: 'a', storage: memoryStorage({ a: stored(storage) }), executor });
  await reloaded.restored;
  await expect.poll(() => reloaded.getState().status).toBe('error');
  expect(await reloaded.retry()).toBe('Hello.');
  expect(hub.asked().filter((request) => request === 'POST')).toHaveLength(3);
  expect(reloaded.getState().toolCalls).toMatchObject([{ toolName: 'wave', state: 'output-error' }]);
  run.stop();
});

test.each(['retry', 'attach'] as const)(
  'a retry that no route answers is followed by one that is stored (%s)',
  async (again) => {
    let isReachable = true;
    const { fetch } = createHub(greet, {
      model: scriptedModel([[call('look')], failure, 'Hello.']),
      options: { maxRetries: 0 },
      instead: () => (isReachable ? undefined : new Response(null, { status: 502 })),
    });
    const executor = viaRoute('https://example.test/api/greet', { fetch, retryDelay: () => 0 });
    const storage = memoryStorage();
    const run = createRun(greet, { id: 'a', storage, executor });
    expect(await codeOf(run.start())).toBe('provider_error');
    isReachable = false;
    expect(await codeOf(run.retry())).toBe('overloaded');
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
    isReachable = true;
    void run[again]();
    await expect.poll(() => run.getState()).toMatchObject({ status: 'done', text: 'Hello.' });
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
    expect(run.getState().storageError).toBeUndefined();
  },
);
