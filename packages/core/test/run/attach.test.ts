import { createRun, type Connectivity, type RouteOptions } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import { json } from '../support.ts';
import type { HubOptions } from '../support/memory-route.ts';
import { memoryStorage } from '../support/runs.ts';
import { cut, ended, setUp } from './routed-mail.ts';

describe('a run whose connection is lost for good', () => {
  test('is reconnected by retry(), and does nothing twice', async () => {
    const { run, hub, written, model } = setUp({ tamper: cut([5, 0, 0]) });
    await expect(run.start({ to: 'both' })).rejects.toMatchObject({
      code: 'network',
      message: expect.stringContaining('call retry() or attach() to reconnect.') as string,
    });
    expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'network' } });
    expect(await run.retry()).toBe('Both are sent.');
    expect(run.log()).toEqual(json(hub.log()));
    expect([written, model.calls.length, hub.runs.size]).toEqual([['ada', 'ben'], 3, 1]);
    expect(hub.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  test('is reconnected by attach()', async () => {
    const { run, hub } = setUp({ tamper: cut([5, 0, 0]) });
    await run.start({ to: 'both' }).catch(() => {});
    run.attach();
    await expect.poll(() => run.getState().status).toBe('done');
    expect(run.log()).toEqual(json(hub.log()));
  });

  test('can be lost and reconnected several times', async () => {
    const { run, hub, written } = setUp({ tamper: cut([5, 0, 0, 0, 0, 1, 0, 0]) });
    let end: Promise<unknown> = run.start({ to: 'both' });
    let retries = 0;
    for (;;) {
      const error: unknown = await end.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error === undefined) break;
      expect(error).toMatchObject({ code: 'network' });
      retries += 1;
      end = run.retry();
    }
    expect(retries).toBe(3);
    expect(run.log()).toEqual(json(hub.log()));
    expect(written).toEqual(['ada', 'ben']);
  });

  test('is reconnected after a reload, because its end is not stored', async () => {
    const { run: _run, hub, mail, executor, written } = setUp({ tamper: cut([5, 0, 0]) });
    const storage = memoryStorage();
    const before = createRun(mail, { id: 'mail', executor, storage });
    await before.start({ to: 'both' }).catch(() => {});
    await expect.poll(async () => (await storage.load('mail'))?.length).toBe(5);
    expect(ended((await storage.load('mail')) ?? [])).toBe(0);
    const after = createRun(mail, { id: 'mail', executor, storage });
    await after.restored;
    await expect.poll(() => after.getState().status).toBe('done');
    expect(after.log()).toEqual(json(hub.log()));
    await expect.poll(async () => (await storage.load('mail'))?.length).toBe(hub.log().length);
    expect(written).toEqual(['ada', 'ben']);
  });

  test('is retried from its log if the route has forgotten it', async () => {
    const { run, hub, written, model } = setUp({ tamper: cut([12, 0, 0]) });
    await run.start({ to: 'both' }).catch(() => {});
    await expect.poll(() => ended(hub.log())).toBe(1);
    hub.runs.clear();
    expect(written).toEqual(['ada', 'ben']);
    const calls = model.calls.length;
    await run.retry().catch(() => {});
    expect(model.calls.length).toBeGreaterThan(calls);
    expect(run.log().some(({ type }) => type === 'run-resume')).toBe(true);
  });

  test('ends when another start replaces it or it is retried from another step', async () => {
    for (const again of ['start', 'retry'] as const) {
      const { run, hub } = setUp({ tamper: cut([5, 0, 0]) });
      await run.start({ to: 'both' }).catch(() => {});
      const next = again === 'start' ? run.start({ to: 'both' }) : run.retry({ from: 0 });
      await next.catch(() => {});
      expect(hub.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
      expect(hub.runs.size).toBe(2);
    }
  });
});

describe('a start without a response', () => {
  test('is sent again with its key, and makes one run', async () => {
    const { run, hub, written } = setUp({ tamper: cut([0, 0]) }, { retries: 8 });
    expect(await run.start({ to: 'both' })).toBe('Both are sent.');
    expect(hub.asked()).toEqual(['POST', 'POST', 'POST']);
    const [key, ...others] = new Set(hub.bodies.map((body) => (body as { key: string }).key));
    expect([typeof key, others]).toEqual(['string', []]);
    expect([hub.runs.size, written]).toEqual([1, ['ada', 'ben']]);
    // the key is for the way, and not the start's own
    expect(run.log()[0]).not.toHaveProperty('key');
  });

  test('makes one run with the start of retry() after it was given up', async () => {
    const { run, hub, written } = setUp({ tamper: cut([0, 0]) });
    await expect(run.start({ to: 'both' })).rejects.toMatchObject({ code: 'network' });
    expect(await run.retry()).toBe('Both are sent.');
    expect([hub.runs.size, written]).toEqual([1, ['ada', 'ben']]);
    expect(run.log()).toEqual(json(hub.log()));
  });

  test('is sent again by retry() with the settings of that moment', async () => {
    const { run, hub } = setUp({
      async instead(request) {
        const { model } = (await request.clone().json()) as { model?: string };
        return model === 'bad:x' ? new Response(null, { status: 400 }) : undefined;
      },
    });
    run.configure({ model: 'bad:x' });
    await expect(run.start({ to: 'both' })).rejects.toMatchObject({ code: 'bad_request' });
    run.configure({ model: 'good:y' });
    expect(await run.retry()).toBe('Both are sent.');
    expect(hub.bodies).toMatchObject([{ model: 'good:y', input: { to: 'both' } }]);
  });

  test('is sent again by retry() as it was, because the route may have it', async () => {
    const { run, hub, written } = setUp({ tamper: cut([0, 0]) });
    run.configure({ model: 'first:x' });
    await expect(run.start({ to: 'both' })).rejects.toMatchObject({ code: 'network' });
    run.configure({ model: 'second:y' });
    expect(await run.retry()).toBe('Both are sent.');
    expect(hub.bodies.map((body) => (body as { model: string }).model)).toEqual(
      Array.from({ length: 3 }, () => 'first:x'),
    );
    expect([hub.runs.size, written]).toEqual([1, ['ada', 'ben']]);
  });

  test('is not sent again by attach()', async () => {
    const { run, hub } = setUp({ instead: () => new Response(null, { status: 400 }) });
    await expect(run.start({ to: 'both' })).rejects.toMatchObject({ code: 'bad_request' });
    run.attach();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(hub.requests).toHaveLength(1);
    expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'bad_request' } });
  });

  test('makes another run if it is repeated after a stop', async () => {
    const { run, hub } = setUp({ tamper: cut([0, 0, 0, 0]) });
    await run.start({ to: 'both' }).catch(() => {});
    const retried = run.retry();
    run.stop();
    await expect(retried).rejects.toMatchObject({ code: 'aborted' });
    await run.retry().catch(() => {});
    expect(new Set(hub.bodies.map((body) => (body as { key: string }).key)).size).toBe(2);
  });

  test('has its own key', async () => {
    const { run, hub } = setUp();
    await run.start({ to: 'both' });
    await run.start({ to: 'both' }).catch(() => {});
    expect(hub.runs.size).toBe(2);
  });
});

test('missing response headers are a timeout for a start, a command and a stop', async () => {
  let hangs = false;
  const headers = (): Promise<Record<string, string>> =>
    hangs ? new Promise(() => {}) : Promise.resolve({});
  const { run, hub, executor } = setUp({}, { headers, idleMs: 60, retries: 0 });
  await run.start({ to: 'both' });
  hangs = true;
  await expect(run.start({ to: 'both' })).rejects.toMatchObject({ code: 'timeout' });
  const [runId = ''] = hub.runs.keys();
  const answer = { type: 'approval-response', approvalId: 'r', response: { approved: true } } as const;
  await expect(executor.send?.(runId, answer)).rejects.toMatchObject({ code: 'timeout' });
  expect(hub.runs.size).toBe(1);
});

test.each([
  ['in the past', -1_000],
  ['in the next second', 900],
])('a Retry-After with a date %s is respected', async (_, offset) => {
  const date = new Date(Date.now() + offset).toUTCString();
  const { run, hub } = setUp({
    instead: () =>
      hub.asked().length === 1
        ? new Response('', { status: 503, headers: { 'retry-after': date } })
        : undefined,
  });
  expect(await run.start({ to: 'both' })).toBe('Both are sent.');
  expect(hub.asked()).toEqual(['POST', 'POST']);
});

test('a Retry-After with a date far off is an error', async () => {
  const { run, hub } = setUp({
    instead: () =>
      new Response('', { status: 503, headers: { 'retry-after': 'Wed, 01 Jan 3000 00:00:00 GMT' } }),
  });
  await expect(run.start({ to: 'both' })).rejects.toMatchObject({ code: 'overloaded' });
  expect(hub.asked()).toEqual(['POST']);
});

describe('a command to a run by route', () => {
  const waiting = (hubOptions: HubOptions = {}, options: RouteOptions = {}) =>
    setUp({ options: { approval: true }, ...hubOptions }, options);

  test('waits for the network', async () => {
    let online = true;
    const listeners = new Set<() => void>();
    const connectivity: Connectivity = {
      isOnline: () => online,
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    const { run, hub } = waiting({}, { connectivity });
    run.start({ to: 'both' }).catch(() => {});
    await expect.poll(() => run.getState().approvals.length).toBe(1);
    online = false;
    const reply = run.respondToApproval(run.getState().approvals[0]!.approvalId, { approved: true });
    await expect.poll(() => listeners.size).toBe(1);
    expect(hub.asked()).toEqual(['POST']);
    online = true;
    for (const listener of listeners) listener();
    expect(await reply).toEqual({ accepted: true });
    run.stop();
  });

  test('is refused with the reason if it cannot be sent, without a rejection', async () => {
    const { run } = waiting({
      instead: (request) => {
        if (new URL(request.url).search !== '') throw new TypeError('Failed to fetch');
        return undefined;
      },
    });
    run.start({ to: 'both' }).catch(() => {});
    await expect.poll(() => run.getState().approvals.length).toBe(1);
    const { approvalId } = run.getState().approvals[0]!;
    const refused = { accepted: false, reason: expect.stringContaining('Could not reach') as string };
    expect(await run.respondToApproval(approvalId, { approved: true })).toEqual(refused);
    expect(await run.edit({ type: 'add', title: 'More' })).toEqual(refused);
    expect(run.getState().status).toBe('waiting');
    run.stop();
  });
});
