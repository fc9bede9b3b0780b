import { createRun, remotePrompt, type Executor } from '@cueline/core';
import { randomFrom } from '../../../core/test/support/killed-runs.ts';
import { clientOf, type Instance, type StartInstance } from './instances.ts';
import type { TestRedis } from './server.ts';

/** The outcome of the runs that were in progress when their server was killed. */
export type Killed = {
  /** How many had not ended. */
  interrupted: number;
  /** What each came to, in the end. */
  results: unknown[];
  /** How often each writing call of a run has taken effect, by its run and what it writes. */
  writes: [name: string, what: string, times: number][];
};

// a client of a dead server soon gets an error
const limits = { quietMs: 500 };

/** Kills a server in each round, at a random moment of `runs` runs, which then go on with `retry()` at another one. */
export async function killServers(
  redis: TestRedis,
  start: StartInstance,
  rounds: number,
  runs: number,
): Promise<Killed> {
  const client = await redis.connect();
  const killed: Killed = { interrupted: 0, results: [], writes: [] };
  let next: Promise<Instance> = start({ limits });
  for (let round = 0; round < rounds; round += 1) {
    const random = randomFrom(round + 1);
    const doomed = await next;
    next = start({ limits });
    const heir = await next;
    const names = Array.from({ length: runs }, (_, index) => `run-${round}-${index}-${crypto.randomUUID()}`);
    // somewhere in the first half of what all of them say together
    let left = Math.ceil(random() * runs * 25);
    let reach = (): void => {};
    const moment = new Promise<void>((resolve) => (reach = resolve));
    const onEvent = (): void => {
      left -= 1;
      if (left === 0) reach();
    };
    const working = names.map((name) => work(name, clientOf(name, doomed, heir), random() * 100, onEvent));
    await moment;
    await sleep(random() * 30);
    await doomed.kill();
    for (const { result, retries } of await Promise.all(working)) {
      killed.results.push(result);
      if (retries > 0) killed.interrupted += 1;
    }
    for (const name of names) {
      const written = await client.hGetAll(`written:${name}`);
      for (const [what, times] of Object.entries(written)) killed.writes.push([name, what, Number(times)]);
    }
  }
  return killed;
}

/** Starts a run after so many ms, and tries it again until it has a result. */
async function work(
  name: string,
  executor: Executor,
  delay: number,
  onEvent: () => void,
): Promise<{ result: unknown; retries: number }> {
  await sleep(delay);
  const run = createRun(remotePrompt('work'), { executor });
  run.listen((event) => {
    onEvent();
    if (event.type === 'approval-request') void run.respondToApproval(event.approvalId, { approved: true });
  });
  let result = run.start({ name } as never);
  for (let retries = 0; ; retries += 1) {
    const error: unknown = await result.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined || retries === 5) return { result: error ?? (await result), retries };
    result = run.retry();
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
