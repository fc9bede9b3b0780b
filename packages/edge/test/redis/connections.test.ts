import { createServer } from 'node:net';
import type { RunEvent } from '@cueline/core';
import { createRedisLimits, createRedisRuns, createRedisShares, type RedisClient } from '@cueline/edge/redis';
import { createClient, createCluster, RESP_TYPES } from 'redis';
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { all, never } from '../route/routes.ts';
import { read, write } from '../stores/events.ts';
import { describeWithRedis } from './server.ts';

const events: RunEvent[] = [
  { seq: 0, t: 0, type: 'text-start', id: 't' },
  { seq: 1, t: 1, type: 'text-delta', id: 't', text: 'a' },
  { seq: 2, t: 2, type: 'run-end', outcome: 'done' },
];
const newRun = (runId: string) => ({ runId, subject: 's', runMs: 60_000, replayMs: 60_000 });

const silent = (): Promise<never> => Promise.reject(new Error());

test.each<[string, RedisClient['evalSha']]>([
  ['a command', silent],
  [
    'a command whose script the server does not know',
    () => Promise.reject(new Error('NOSCRIPT No matching script.')),
  ],
])(
  '%s without an answer is reported as such, because the error of the client has no message',
  async (_, evalSha) => {
    const client: RedisClient = { isOpen: true, eval: silent, evalSha, duplicate: expect.unreachable };
    await expect(createRedisLimits(client).settle({ subject: 's', id: '1' })).rejects.toThrow(
      'Redis did not answer in time.',
    );
  },
);

describeWithRedis('connections to Redis', (redis) => {
  // a second attempt of a test has the same ids as the first
  beforeEach(async () => void (await (await redis.connect()).flushAll()));

  test('all readers share one connection, which is open while any of them reads', async () => {
    const admin = await redis.connect();
    const connections = async (): Promise<number> => (await admin.clientList()).length;
    const client = await redis.connect();
    const store = createRedisRuns(client);
    const before = await connections();
    const runs = Array.from({ length: 100 }, (_, index) => `many-${index}`);
    for (const runId of runs) await store.create(newRun(runId));
    const left = new AbortController();
    onTestFinished(() => left.abort());
    const readers = runs.flatMap((runId) => [
      all(read(store, runId, -1, never())),
      all(read(store, runId, 0, never())),
    ]);
    const listeners = runs.map((runId) => all(store.messages(runId, left.signal)));
    await expect.poll(subscriptions).toBe(200);
    expect(await connections()).toBe(before + 1);
    await Promise.all(runs.map((runId) => store.send(runId, { type: 'stop' })));
    await Promise.all(runs.map((runId) => write(store, runId, events)));
    const logs = await Promise.all(readers);
    expect(logs.filter((log) => log.length === 3)).toHaveLength(100);
    expect(logs.filter((log) => log.length === 2)).toHaveLength(100);
    await expect.poll(subscriptions).toBe(100);
    left.abort();
    expect((await Promise.all(listeners)).every(({ length }) => length === 1)).toBe(true);
    // and no test has to close anything
    await expect.poll(connections).toBe(before);
    expect(await all(read(store, runs[0]!, -1, never()))).toEqual(events);

    async function subscriptions(): Promise<number> {
      return (await admin.pubSubChannels('cueline:*')).length;
    }
  });

  test('a reader rejects once its client is closed', async () => {
    const client = await redis.connect();
    const store = createRedisRuns(client);
    await store.create(newRun('closed'));
    const reading = all(read(store, 'closed', -1, never()));
    await write(store, 'closed', events.slice(0, 1));
    client.destroy();
    await expect(reading).rejects.toThrow('closed');
  });

  test('a reader gets events that were written while it could not listen', async () => {
    const admin = await redis.connect();
    const client = await redis.connect();
    let connect = (): void => {};
    const connecting = new Promise<void>((resolve) => (connect = resolve));
    const late: RedisClient = {
      isOpen: true,
      eval: (script, options) => client.eval(script, options),
      evalSha: (sha, options) => client.evalSha(sha, options),
      duplicate() {
        const own = client.duplicate();
        return Object.assign(Object.create(own) as typeof own, {
          connect: () => connecting.then(() => own.connect()),
        });
      },
    };
    const store = createRedisRuns(late);
    await store.create(newRun('cut'));
    await write(store, 'cut', events.slice(0, 1));
    const seen: RunEvent[] = [];
    const reading = (async () => {
      for await (const event of read(store, 'cut', -1, never())) seen.push(event);
    })();
    await expect.poll(() => seen).toHaveLength(1);
    await write(store, 'cut', events.slice(0, 2));
    const begun = performance.now();
    connect();
    await expect.poll(() => seen).toHaveLength(2);
    await expect.poll(() => admin.pubSubChannels('cueline:events:cut')).toHaveLength(1);
    await admin.sendCommand(['CLIENT', 'KILL', 'TYPE', 'pubsub']);
    await write(store, 'cut', events);
    await reading;
    expect(seen).toEqual(events);
    // not only when it looks by itself
    expect(performance.now() - begun).toBeLessThan(3_000);
  });

  test('a reader continues after every connection was cut', async () => {
    const admin = await redis.connect();
    const store = createRedisRuns(await redis.connect());
    await store.create(newRun('all cut'));
    const reading = all(read(store, 'all cut', -1, never()));
    await write(store, 'all cut', events.slice(0, 1));
    await admin.sendCommand(['CLIENT', 'KILL', 'SKIPME', 'yes']);
    await vi.waitFor(() => write(store, 'all cut', events), 5_000);
    expect(await reading).toEqual(events);
  });

  test('messages to an ended run do not accumulate', async () => {
    const client = await redis.connect();
    const store = createRedisRuns(client);
    await store.create(newRun('ended'));
    await store.send('ended', { type: 'stop' });
    await write(store, 'ended', events);
    await store.send('ended', { type: 'stop' });
    expect(await client.xLen('cueline:run:{ended}:messages')).toBe(1);
  });

  test('a run whose creation was not confirmed is not found', async () => {
    const client = await redis.connect();
    let answers = Infinity;
    const lossy: RedisClient = {
      isOpen: true,
      duplicate: () => client.duplicate(),
      eval: (script, options) => client.eval(script, options),
      async evalSha(sha, options) {
        const answer = await client.evalSha(sha, options);
        if ((answers -= 1) === 0) throw new Error('Socket closed unexpectedly');
        return answer;
      },
    };
    const store = createRedisRuns(lossy);
    await store.create({ ...newRun('warm'), key: 'warm', chat: 'warm' });
    for (const lost of [1, 2, 3]) {
      const run = { ...newRun(`lost-${lost}`), key: `lost-${lost}`, chat: `lost-${lost}` };
      answers = lost;
      await expect(store.create(run)).rejects.toThrow('Socket closed');
      answers = Infinity;
      // the store does not wait for the server to forget the run
      await vi.waitFor(async () => {
        expect(await store.find({ subject: 's', key: run.key })).toBeUndefined();
        expect(await store.find({ subject: 's', chat: run.chat })).toBeUndefined();
      });
      expect(await store.create({ ...run, runId: `again-${lost}` })).toBe('created');
    }
  });

  test('an evicted event is an error instead of a gap in the log', async () => {
    const client = await redis.connect();
    const store = createRedisRuns(client);
    await store.create(newRun('evicted'));
    await write(store, 'evicted', events);
    await client.del('cueline:run:{evicted}:events');
    await expect(all(read(store, 'evicted', -1, never()))).rejects.toThrow('noeviction');
  });

  test('a client may have any configuration', async () => {
    const { path } = redis;
    const clients = [
      createClient({ socket: { path, reconnectStrategy: 50 }, RESP: 2 }),
      createClient({ socket: { path, reconnectStrategy: 50 }, keyPrefix: 'own:' }),
      createClient({
        socket: { path, reconnectStrategy: 50 },
        commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
      }),
    ] as const;
    for (const [index, client] of clients.entries()) {
      onTestFinished(() => void (client.isOpen && client.destroy()));
      await client.connect();
      const store = createRedisRuns(client, { prefix: `any-${index}:` });
      const run = { ...newRun('r'), key: 'k' };
      expect(await store.create(run)).toBe('created');
      expect(await store.create({ ...run, runId: 'other' })).toEqual({ runId: 'r' });
      const reading = all(read(store, 'r', -1, never()));
      await write(store, 'r', events.slice(0, 1));
      await store.send('r', { type: 'stop' });
      await write(store, 'r', events);
      expect(await reading).toEqual(events);
      const messages = store.messages('r', never())[Symbol.asyncIterator]();
      expect((await messages.next()).value).toEqual({ type: 'stop' });
      await messages.return?.();
      expect((await store.get('r'))?.subject).toBe('s');
      const limits = createRedisLimits(client, { prefix: `any-${index}:` });
      const call = {
        subject: 's',
        id: '1',
        tokens: 1,
        rpm: 1,
        concurrent: 1,
        dailyTokens: 9,
        leaseMs: 9_999,
      };
      expect(await limits.reserve(call)).toEqual({ ok: true });
      expect(await limits.reserve({ ...call, id: '2' })).toMatchObject({ why: 'concurrent' });
      const shares = createRedisShares(client, { prefix: `any-${index}:` });
      expect(await shares.put('x', { body: Uint8Array.of(255), expiresAt: Date.now() + 9_999 })).toBe(true);
      expect(await shares.get('x')).toEqual(Uint8Array.of(255));
    }
  });

  test('every key expires', async () => {
    const client = await redis.connect();
    const store = createRedisRuns(client, { prefix: 'expires:' });
    await store.create({ ...newRun('e'), key: 'k', chat: 'c' });
    await write(store, 'e', events.slice(0, 1));
    await store.send('e', { type: 'stop' });
    const keys = (await client.keys('expires:*')).toSorted();
    expect(keys).toEqual([
      'expires:name:["chat","s","c"]',
      'expires:name:["key","s","k"]',
      'expires:run:{e}',
      'expires:run:{e}:events',
      'expires:run:{e}:messages',
    ]);
    for (const key of keys) {
      const ms = await client.pTTL(key);
      expect(ms).toBeGreaterThan(115_000);
      expect(ms).toBeLessThanOrEqual(180_000);
    }
  });
});

/** A cluster listens to a second port, which is greater by 10,000. */
const port = await freePort();
const slots = Array.from({ length: 16_384 }, (_, slot) => String(slot));

describeWithRedis(
  'a cluster of Redis',
  (redis) => {
    beforeAll(async () => {
      const admin = await redis.connect();
      await admin.sendCommand(['CLUSTER', 'ADDSLOTS', ...slots]);
      await vi.waitUntil(async () => (await admin.clusterInfo()).includes('cluster_state:ok'), 10_000);
    }, 20_000);
    beforeEach(async () => void (await (await redis.connect()).flushAll()));

    test('one client can store runs, limits and shares', async () => {
      const cluster = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] });
      cluster.on('error', () => {});
      await cluster.connect();
      onTestFinished(() => cluster.destroy());
      const store = createRedisRuns(cluster);
      const run = { ...newRun('c'), key: 'k', chat: 'c' };
      expect(await store.create(run)).toBe('created');
      expect(await store.create({ ...run, runId: 'd' })).toEqual({ runId: 'c' });
      const reading = all(read(store, 'c', -1, never()));
      await write(store, 'c', events.slice(0, 2));
      await store.send('c', { type: 'stop' });
      await write(store, 'c', events);
      expect(await reading).toEqual(events);
      expect(await all(store.messages('c', AbortSignal.timeout(50)))).toEqual([{ type: 'stop' }]);
      const limits = createRedisLimits(cluster);
      const call = { subject: 's', id: '1', tokens: 1, rpm: 1, concurrent: 1, dailyTokens: 9, leaseMs: 99 };
      expect(await limits.reserve(call)).toEqual({ ok: true });
      await limits.settle(call);
      expect(await limits.reserve({ ...call, id: '2' })).toMatchObject({ why: 'rpm' });
      const shares = createRedisShares(cluster);
      expect(await shares.put('x', { body: Uint8Array.of(1), expiresAt: Date.now() + 9_999 })).toBe(true);
      expect(await shares.get('x')).toEqual(Uint8Array.of(1));
    });
  },
  {
    port: String(port),
    bind: '127.0.0.1',
    'cluster-enabled': 'yes',
    'cluster-announce-ip': '127.0.0.1',
  },
);

async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    if ((await isFree(port)) && (await isFree(port + 10_000))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
