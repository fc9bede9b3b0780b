import type { DurableWorker } from '@cueline/durable';
import { bullmqDriver } from '@cueline/durable/bullmq';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { describeWithRedis, type TestClient } from '../../edge/test/redis/server.ts';
import { driverSuite } from './support/driver-suite.ts';
import { bullmqSetup } from './support/redis-drivers.ts';

/** A queue without jobs, not even of an earlier attempt of the same test. */
const newQueue = (): string => `queue-${crypto.randomUUID()}`;

describeWithRedis('BullMQ', (redis) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await redis.connect();
    // each driver of the tests adds listeners
    client.setMaxListeners(0);
  });

  driverSuite(
    'BullMQ',
    bullmqSetup(redis, () => client, 'tests'),
  );

  test('wake-ups by several drivers during a step cause one more step, and no job is left', async () => {
    const queue = newQueue();
    const settings = { connection: client, queue, onError: () => {} };
    const [starter, other] = [bullmqDriver(settings), bullmqDriver(settings)];
    let count = 0;
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const worker = bullmqDriver(settings).work(async () => {
      count += 1;
      if (count === 1) await held;
      return { status: 'done' };
    });
    onTestFinished(() => worker.stop());
    onTestFinished(() => release());
    // before the first step begins, they are one job
    await Promise.all([starter.wake('run-1'), starter.wake('run-1'), other.wake('run-1')]);
    await expect.poll(() => count).toBe(1);
    await Promise.all([starter.wake('run-1'), other.wake('run-1'), other.wake('run-1')]);
    release();
    await expect.poll(() => count).toBe(2);
    // keys of jobs, whose ids are numbers, and of their deduplication
    const left = async (): Promise<string[]> =>
      (await client.keys(`bull:${queue}:*`)).filter((key) => /:(\d+|de:.*|dn:.*|wait|active)$/.test(key));
    await expect.poll(left).toEqual([]);
    expect(count).toBe(2);
  });

  test('a job that pauses after a failure is due at once when its run is woken', async () => {
    const queue = newQueue();
    const driver = bullmqDriver({ connection: client, queue, onError: () => {} });
    const delayed = () => client.zCard(`bull:${queue}:delayed`);
    let stopped: Promise<void> | undefined;
    const worker: DurableWorker = driver.work(async () => {
      // the worker stops, so that only a wake-up can move the job
      stopped = worker.stop();
      throw new Error('The store is unavailable.');
    });
    await driver.wake('run-1');
    await expect.poll(() => stopped !== undefined).toBe(true);
    await stopped;
    expect(await delayed()).toBe(1);
    await Promise.all([driver.wake('run-1'), driver.wake('run-1')]);
    expect(await delayed()).toBe(0);
    expect(await client.lLen(`bull:${queue}:wait`)).toBe(1);
    let count = 0;
    const next = driver.work(async () => ((count += 1), { status: 'done' }));
    onTestFinished(() => next.stop());
    await expect.poll(() => count).toBe(1);
    await expect.poll(() => client.keys(`bull:${queue}:de:*`)).toEqual([]);
    expect(count).toBe(1);
  });

  test('errors of Redis are reported, and a worker continues when Redis is back, and can stop while it is down', async () => {
    const errors: unknown[] = [];
    const driver = bullmqDriver({
      connection: client,
      queue: newQueue(),
      graceMs: 100,
      onError: (error, runId) => errors.push({ error, runId }),
    });
    const advanced: string[] = [];
    const worker = driver.work(async (runId) => {
      advanced.push(runId);
      return { status: 'done' };
    });
    onTestFinished(() => worker.stop());
    onTestFinished(redis.start);
    await driver.wake('run-1');
    await expect.poll(() => advanced).toEqual(['run-1']);
    await redis.kill();
    await expect.poll(() => errors.length, { timeout: 5_000 }).toBeGreaterThan(0);
    expect(errors[0]).toMatchObject({ error: expect.any(Error), runId: undefined });
    await redis.start();
    await driver.wake('run-2');
    await expect.poll(() => advanced, { timeout: 10_000 }).toEqual(['run-1', 'run-2']);
    await redis.kill();
    const begun = performance.now();
    await worker.stop();
    expect(performance.now() - begun).toBeLessThan(5_000);
    await redis.start();
  }, 60_000);
});
