import { createRedisStore } from '@cueline/durable/redis';
import { expect, test } from 'vitest';
import { describeWithRedis } from '../../edge/test/redis/server.ts';
import { claim, testStore } from './support/store-suite.ts';

const silent = (): Promise<never> => Promise.reject(new Error());

test.each<[string, () => Promise<never>]>([
  ['a command', silent],
  [
    'a command whose script the server does not know',
    () => Promise.reject(new Error('NOSCRIPT No matching script.')),
  ],
])(
  '%s without an answer is reported as such, because the error of the client has no message',
  async (_, evalSha) => {
    await expect(createRedisStore({ eval: silent, evalSha }).find({ runId: 'run-1' })).rejects.toThrow(
      'Redis did not answer in time.',
    );
  },
);

describeWithRedis('runs in Redis', (redis) => {
  let opened: ReturnType<typeof redis.connect> | undefined;
  const connect = (): ReturnType<typeof redis.connect> => (opened ??= redis.connect());

  testStore(
    'Redis',
    async () => createRedisStore(await connect()),
    async (commands) => {
      const client = await connect();
      let left = commands;
      return createRedisStore({
        async evalSha(sha, options) {
          if (left === 0) throw new Error('The client is cut off.');
          const reply = await client.evalSha(sha, options);
          left -= 1;
          return reply;
        },
        eval: (script, options) => (left--, client.eval(script, options)),
      });
    },
  );

  async function appendWarnings(count: number) {
    const store = createRedisStore(await connect());
    const runId = `run-${crypto.randomUUID()}`;
    await store.create({ runId, start: { prompt: 'planDay' } });
    const claimed = await claim(store, runId);
    const events = Array.from({ length: count }, (_, seq) => ({
      seq,
      t: seq,
      type: 'warning' as const,
      message: `event ${seq}`,
    }));
    expect(await store.append(runId, claimed.epoch, events)).toBe(true);
    return { events, read: async () => store.read(runId, -1) };
  }

  test('a batch of 20,000 events is stored as a whole, and survives a kill of the server', async () => {
    const { events, read } = await appendWarnings(20_000);
    await redis.kill();
    await redis.start();
    expect(await read()).toEqual({ events, ended: false });
  });

  test('a batch may have more events than a command has arguments', async () => {
    const { events, read } = await appendWarnings(150_000);
    // as text, because toEqual takes seconds for so many
    expect(JSON.stringify(await read())).toBe(JSON.stringify({ events, ended: false }));
  });
});
