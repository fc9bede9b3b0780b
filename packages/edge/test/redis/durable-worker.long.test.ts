import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { definePrompt } from '@cueline/core';
import { createDurable } from '@cueline/durable';
import { createRedisStore } from '@cueline/durable/redis';
import { createPromptRoute, createRunGuard, type LimitStore } from '@cueline/edge';
import { createRedisLimits } from '@cueline/edge/redis';
import { expect, onTestFinished, test } from 'vitest';
import { page, post } from '../route/routes.ts';
import { describeWithRedis, type TestRedis } from './server.ts';

const DAY = 1_000_000;

function spawnWorker({ path }: TestRedis, how: 'hangs' | 'answers'): ChildProcess {
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

describeWithRedis('a worker with a guard', (redis) => {
  test('a worker that is killed in a model call keeps its reservation charged, and the next worker ends the run', async () => {
    const client = await redis.connect();
    const limits = createRedisLimits(client);
    const prompt = definePrompt('desk', (desk) => desk.$`Help.`, { model: 'simulated:demo' });
    const durable = createDurable({
      prompts: [prompt],
      store: createRedisStore(client),
      guard: createRunGuard({ limits: { dailyTokens: DAY, maxOutputTokens: 5_000 }, limitStore: limits }),
    });
    const route = createPromptRoute(prompt, {
      durable,
      origins: [page],
      auth: async () => ({ subject: 'ada' }),
    });
    const response = await route(post({ key: 'one' }));
    const runId = response.headers.get('x-cueline-run')!;
    await response.body?.cancel();
    expect(await fits(limits, DAY - 5_000)).toBe(true);

    const killed = spawnWorker(redis, 'hangs');
    await expect.poll(() => fits(limits, DAY - 5_000), { timeout: 60_000 }).toBe(false);
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
  });
});
