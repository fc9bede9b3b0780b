import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { definePrompt } from '@cueline/core';
import { createDurable, type Durable } from '@cueline/durable';
import { bullmqDriver } from '@cueline/durable/bullmq';
import { createRedisStore } from '@cueline/durable/redis';
import { createPromptRoute, createRunGuard, type LimitStore } from '@cueline/edge';
import { createRedisLimits } from '@cueline/edge/redis';
import { expect, onTestFinished, test } from 'vitest';
import { page, post } from '../route/routes.ts';
import { describeWithRedis, type TestRedis } from './server.ts';

const DAY = 1_000_000;

function spawnWorker({ path }: TestRedis, how: 'hangs' | 'answers' | 'dies'): ChildProcess {
  const child = fork(fileURLToPath(new URL('durable-worker.ts', import.meta.url)), [path, how], {
    execArgv: ['--conditions=@cueline/source'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** True if so much of the day is left. */
async function fits(limits: LimitStore, tokens: number): Promise<boolean> {
  const call = { subject: 'ada', id: 'probe', tokens, dailyTokens: DAY, rpm: Infinity, concurrent: Infinity };
  const { ok } = await limits.reserve({ ...call, leaseMs: 1_000, continues: true });
  if (ok) await limits.settle({ subject: 'ada', id: 'probe', tokens: 0 });
  return ok;
}

/** A server with a route, and without a worker. */
async function createServer(redis: TestRedis): Promise<{
  durable: Durable;
  limits: LimitStore;
  start(key: string): Promise<Response>;
}> {
  const client = await redis.connect();
  const limits = createRedisLimits(client);
  const prompt = definePrompt('desk', (desk) => desk.$`Help.`, { model: 'simulated:demo' });
  const durable = createDurable({
    prompts: [prompt],
    store: createRedisStore(client),
    driver: bullmqDriver({ connection: client }),
    guard: createRunGuard({
      limits: { dailyTokens: DAY, maxOutputTokens: 5_000, concurrent: 1 },
      limitStore: limits,
    }),
  });
  const route = createPromptRoute(prompt, {
    durable,
    origins: [page],
    auth: async () => ({ subject: 'ada' }),
  });
  return {
    durable,
    limits,
    async start(key) {
      const response = await route(post({ key }));
      await response.body?.cancel();
      return response;
    },
  };
}

describeWithRedis('a worker with a guard', (redis) => {
  test('a worker that is killed in a model call keeps its reservation charged, and the next worker ends the run', async () => {
    const { durable, limits, start } = await createServer(redis);
    const runId = (await start('one')).headers.get('x-cueline-run')!;
    expect(await fits(limits, DAY - 5_000)).toBe(true);

    const killed = spawnWorker(redis, 'hangs');
    // asked only once: what a question reserves for a moment is not there for the worker
    await expect
      .poll(async () => (await durable.read(runId, -1))?.events.map(({ type }) => type), { timeout: 60_000 })
      .toContain('text-delta');
    expect(await fits(limits, DAY - 5_000)).toBe(false);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    spawnWorker(redis, 'answers');
    await expect
      .poll(async () => (await durable.find({ runId }))?.endSeq, { timeout: 60_000 })
      .toBeGreaterThan(0);
    const { events = [] } = (await durable.read(runId, -1)) ?? {};
    expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
    expect(events.filter(({ type }) => type === 'retry')).toHaveLength(1);
    // the call that was cut off in full, and the one that was made again as reported
    await expect.poll(() => fits(limits, DAY - 7_000)).toBe(false);
    await expect.poll(() => fits(limits, DAY - 8_000)).toBe(true);
  }, 120_000);

  test('is killed once the end of its run is stored: another worker frees the slot of the run', async () => {
    const { durable, start } = await createServer(redis);
    const runId = (await start('one more')).headers.get('x-cueline-run')!;
    const killed = spawnWorker(redis, 'dies');
    await once(killed, 'exit');
    expect((await durable.find({ runId }))?.endSeq).toBeGreaterThan(0);
    expect((await start('another')).status).toBe(429);
    spawnWorker(redis, 'answers');
    await expect.poll(async () => (await start('another')).status, { timeout: 60_000 }).toBe(200);
  }, 120_000);
});
