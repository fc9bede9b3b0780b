import { createRun, reduceAll } from '@cueline/core';
import { createDurable } from '@cueline/durable';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { describeWithRedis, type TestClient } from '../../edge/test/redis/server.ts';
import { writePages } from './support/prompts.ts';
import { bullmqSetup } from './support/redis-drivers.ts';
import { createWorkers } from './support/workers.ts';

const RUNS = 1_000;
/** Including the last step, which calls no tool. */
const STEPS = 6;
/** How many model calls are made between two kills: as many on a slow machine as on a fast one. */
const CALLS_PER_KILL = 300;

describeWithRedis('a thousand runs on two workers, which are killed by turns', (redis) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await redis.connect();
  });

  test('all runs end, no write starts twice, and at most 5% more model calls are made than needed', async () => {
    // a worker with many runs is never silent for this long
    const setup = bullmqSetup(redis, () => client, 'thousand', 2_000);
    const workers = createWorkers(setup.workers);
    onTestFinished(() => workers.end());
    const store = await setup.createStore();
    const driver = setup.createDriver();
    const prompt = writePages({ note: () => {} });
    const begun = performance.now();
    const seconds = (): string => ((performance.now() - begun) / 1_000).toFixed(1);

    // some runs have a reader from start to end
    const { executor } = createDurable({ prompts: [prompt], store, driver });
    const followed = Array.from({ length: 10 }, (_, index) => {
      const run = createRun(prompt, { executor });
      return { run, result: run.start({ book: `Followed-${index}` }) };
    });
    const runIds = Array.from({ length: RUNS - followed.length }, (_, index) => `run-${index}`);
    for (const runId of runIds) {
      await store.create({ runId, start: { prompt: prompt.name, input: { book: runId } } });
      await driver.wake(runId);
    }

    const alive = [workers.spawn(), workers.spawn()];
    let kills = 0;
    const modelCalls = (): number => workers.effects().filter((each) => each === 'model').length;
    while ((await store.unfinished()).length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (modelCalls() < (kills + 1) * CALLS_PER_KILL) continue;
      const index = kills % 2;
      kills += 1;
      alive[index]?.kill('SIGKILL');
      alive[index] = workers.spawn();
    }
    const took = seconds();

    const effects = workers.effects();
    const writes = effects.filter((each) => each.startsWith('write '));
    const models = modelCalls();
    const needed = RUNS * STEPS;
    let interrupted = 0;
    const all = [...runIds, ...followed.map(({ run }) => run.getState().runId)];
    for (const runId of all) {
      const { events = [] } = (await store.read(runId, -1)) ?? {};
      const state = reduceAll(events);
      expect(state, runId).toMatchObject({ status: 'done', result: 'Written.' });
      expect(state.toolCalls, runId).toHaveLength(2 * (STEPS - 1));
      interrupted += state.toolCalls.filter((call) => call.state === 'output-error').length;
    }
    // oxlint-disable-next-line no-console
    console.log(
      `${RUNS} runs of ${STEPS} steps in ${took} s, ${kills} workers killed: ` +
        `${writes.length} starts for ${RUNS * (STEPS - 1)} write calls, of which ${interrupted} ended as interrupted; ` +
        `${models} model calls where ${needed} are needed (${(models / needed).toFixed(3)})`,
    );
    expect(all).toHaveLength(RUNS);
    expect(kills).toBeGreaterThanOrEqual(3);
    expect(new Set(writes).size, 'no write started twice').toBe(writes.length);
    // the function of an interrupted call may not have been called
    expect(writes.length).toBeLessThanOrEqual(RUNS * (STEPS - 1));
    expect(writes.length).toBeGreaterThanOrEqual(RUNS * (STEPS - 1) - interrupted);
    expect(models).toBeLessThanOrEqual(needed * 1.05);
    for (const { run, result } of followed) {
      expect(await result).toBe('Written.');
      expect(run.log().map(({ seq }) => seq)).toEqual(run.log().map((_event, index) => index));
      expect(run.log().filter(({ type }) => type === 'run-end')).toHaveLength(1);
    }
  }, 600_000);
});
