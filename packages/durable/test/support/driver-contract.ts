import { createRun } from '@cueline/core';
import {
  createDurable,
  createMemoryStore,
  inProcessDriver,
  type DurableDriver,
  type DurableOptions,
  type DurableStore,
} from '@cueline/durable';
import { expect, onTestFinished, test } from 'vitest';
import type { DriverSetup } from './driver-setup.ts';
import { sendLetter, writePages, type Effects } from './prompts.ts';

export function createEffects(): Effects & { noted: string[] } {
  const noted: string[] = [];
  return { noted, note: (what) => void noted.push(what) };
}

/** Starts a worker in this process. It stops when the test is finished. */
export async function workHere(
  prompts: DurableOptions['prompts'],
  driver: DurableDriver = inProcessDriver(),
  store: DurableStore = createMemoryStore(),
): Promise<{ durable: ReturnType<typeof createDurable>; stop(): Promise<void> }> {
  const durable = createDurable({ prompts, store, driver });
  const worker = await durable.work();
  onTestFinished(() => worker.stop());
  return { durable, stop: () => worker.stop() };
}

/** Tests how a driver schedules steps, in one process. */
export function testContract(name: string, { createDriver, createStore }: DriverSetup): void {
  test(`${name}: a run is started, followed to its end and stored`, async () => {
    const effects = createEffects();
    const store = await createStore();
    const prompt = writePages(effects);
    const { durable } = await workHere([prompt], createDriver(), store);
    const run = createRun(prompt, { executor: durable.executor });
    await run.start({ book: 'Emma' });
    expect(run.getState()).toMatchObject({ status: 'done', result: 'Written.' });
    expect(effects.noted.filter((each) => each.startsWith('write'))).toEqual([
      'write Emma 0',
      'write Emma 1',
      'write Emma 2',
    ]);
    expect(run.log().map(({ seq }) => seq)).toEqual(run.log().map((_event, index) => index));
    await expect.poll(() => store.unfinished()).not.toContain(run.getState().runId);
  });

  test(`${name}: a run has one step at a time, and a wake-up during a step causes another one`, async () => {
    const runId = `run-${crypto.randomUUID()}`;
    const driver = createDriver();
    let [count, running, most] = [0, 0, 0];
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const worker = driver.work(async (given) => {
      if (given !== runId) return { status: 'done' };
      count += 1;
      running += 1;
      most = Math.max(most, running);
      if (count === 1) await held;
      running -= 1;
      return count < 3 ? { status: 'next' } : { status: 'waiting', approvalIds: [], clientCallIds: [] };
    });
    onTestFinished(() => worker.stop());
    onTestFinished(() => release());
    await driver.wake(runId);
    await expect.poll(() => count, { timeout: 10_000 }).toBe(1);
    await Promise.all([driver.wake(runId), driver.wake(runId), driver.wake(runId)]);
    release();
    await expect.poll(() => count, { timeout: 10_000 }).toBeGreaterThanOrEqual(3);
    // the run waits now, so each wake-up causes one step
    await new Promise((resolve) => setTimeout(resolve, 200));
    const before = count;
    expect(before).toBeLessThanOrEqual(6);
    await driver.wake(runId);
    await expect.poll(() => count, { timeout: 10_000 }).toBe(before + 1);
    expect(most).toBe(1);
  });

  test(`${name}: a run that is woken several times makes each step once`, async () => {
    const effects = createEffects();
    const store = await createStore();
    const prompt = writePages(effects, { ms: 30 });
    const driver = createDriver();
    const { durable } = await workHere([prompt], driver, store);
    const run = createRun(prompt, { executor: durable.executor });
    const result = run.start({ book: 'Emma' });
    await expect.poll(() => effects.noted, { timeout: 10_000 }).toContain('write Emma 0');
    const { runId } = run.getState();
    for (let time = 0; time < 3; time += 1) await Promise.all([driver.wake(runId), driver.wake(runId)]);
    expect(await result).toBe('Written.');
    await driver.wake(runId);
    expect(effects.noted.filter((each) => each.startsWith('write'))).toHaveLength(3);
    expect(effects.noted.filter((each) => each === 'model')).toHaveLength(4);
  });

  test(`${name}: a step that fails is reported, and tried again after a pause`, async () => {
    const runId = `run-${crypto.randomUUID()}`;
    const errors: unknown[] = [];
    const times: number[] = [];
    const driver = createDriver({ onError: (error) => errors.push(error) });
    const worker = driver.work(async (given) => {
      if (given !== runId) return { status: 'done' };
      times.push(performance.now());
      if (times.length < 3) throw new Error('The store is unavailable.');
      return { status: 'done' };
    });
    onTestFinished(() => worker.stop());
    await driver.wake(runId);
    await expect.poll(() => times.length, { timeout: 15_000 }).toBe(3);
    expect(errors.map(String)).toEqual([
      'Error: The store is unavailable.',
      'Error: The store is unavailable.',
    ]);
    const [first = 0, second = 0, third = 0] = times;
    expect(second - first).toBeGreaterThan(50);
    expect(third - second).toBeGreaterThan(50);
  });

  test(`${name}: a run waits for its approval without a worker, and a later worker continues it`, async () => {
    const effects = createEffects();
    const store = await createStore();
    const prompt = sendLetter(effects);
    const first = await workHere([prompt], createDriver(), store);
    const run = createRun(prompt, { executor: first.durable.executor });
    const result = run.start();
    await expect.poll(() => run.getState().status, { timeout: 10_000 }).toBe('waiting');
    await first.stop();
    const [{ approvalId } = { approvalId: '' }] = run.getState().approvals;
    const answers = await Promise.all([
      run.respondToApproval(approvalId, { approved: true }),
      run.respondToApproval(approvalId, { approved: true }),
    ]);
    // the same response is accepted twice: its sender may not know that it has arrived
    expect(answers).toEqual([{ accepted: true }, { accepted: true }]);
    expect(await run.respondToApproval(approvalId, { approved: false })).toMatchObject({ accepted: false });
    expect(await run.respondToApproval('other', { approved: true })).toMatchObject({ accepted: false });
    expect(effects.noted).toEqual([]);
    const second = await workHere([prompt], createDriver(), store);
    expect(await result).toBe('Sent.');
    expect(effects.noted).toEqual(['send Ada']);
    const { runId } = run.getState();
    const answer = { type: 'approval-response', approvalId } as const;
    expect(await second.durable.respond(runId, { ...answer, response: { approved: true } })).toEqual({
      accepted: true,
    });
    expect(await second.durable.respond(runId, { ...answer, response: { approved: false } })).toEqual({
      accepted: false,
      reason: 'The run has ended, so nothing waits for a response.',
    });
  });

  test(`${name}: a stop while no worker is up withdraws an approval, and a late response runs nothing`, async () => {
    const effects = createEffects();
    const store = await createStore();
    const prompt = sendLetter(effects);
    const first = await workHere([prompt], createDriver(), store);
    const run = createRun(prompt, { executor: first.durable.executor });
    void run.start().catch(() => {});
    await expect.poll(() => run.getState().status, { timeout: 10_000 }).toBe('waiting');
    await first.stop();
    const { runId, approvals } = run.getState();
    const answer = {
      type: 'approval-response',
      approvalId: approvals[0]?.approvalId ?? '',
      response: { approved: true },
    } as const;
    expect(await first.durable.respond(runId, { type: 'stop' })).toEqual({ accepted: true });
    // after the stop, and before a worker has read either of them
    await first.durable.respond(runId, answer);
    const second = await workHere([prompt], createDriver(), store);
    await expect.poll(() => run.getState().status, { timeout: 10_000 }).toBe('stopped');
    expect(await second.durable.respond(runId, answer)).toMatchObject({ accepted: false });
    expect(run.getState().approvals).toMatchObject([{ withdrawn: true }]);
    expect(effects.noted).toEqual([]);
  });

  test(`${name}: a run that waits does not count for concurrency`, async () => {
    const effects = createEffects();
    const [letter, pages] = [sendLetter(effects), writePages(effects)];
    const driver = createDriver({ concurrency: 1 });
    const { durable } = await workHere([letter, pages], driver, await createStore());
    const waiting = createRun(letter, { executor: durable.executor });
    void waiting.start().catch(() => {});
    await expect.poll(() => waiting.getState().status, { timeout: 10_000 }).toBe('waiting');
    const run = createRun(pages, { executor: durable.executor });
    expect(await run.start({ book: 'Emma' })).toBe('Written.');
    waiting.stop();
    await expect.poll(() => waiting.getState().status, { timeout: 10_000 }).toBe('stopped');
  });

  test(`${name}: an outage of the store delays a run, and its reader gets the result`, async () => {
    const effects = createEffects();
    const inner = await createStore();
    let isDown = false;
    const orFail = <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) => {
      return async (...args: Args): Promise<Result> => {
        if (isDown) throw new Error('The store is unavailable.');
        return call(...args);
      };
    };
    const store: DurableStore = {
      ...inner,
      claim: orFail(inner.claim),
      append: orFail(inner.append),
      read: orFail(inner.read),
      forget: orFail(inner.forget),
    };
    const errors: unknown[] = [];
    const prompt = writePages(effects, { ms: 20 });
    const driver = createDriver({ onError: (error) => errors.push(error) });
    const { durable } = await workHere([prompt], driver, store);
    const run = createRun(prompt, { executor: durable.executor });
    const result = run.start({ book: 'Emma' });
    await expect.poll(() => run.log().length, { timeout: 10_000 }).toBeGreaterThan(3);
    isDown = true;
    await expect.poll(() => errors.length, { timeout: 10_000 }).toBeGreaterThan(1);
    isDown = false;
    expect(await result).toBe('Written.');
    for (const page of [0, 1, 2]) {
      expect(effects.noted.filter((each) => each === `write Emma ${page}`).length).toBeLessThanOrEqual(1);
    }
    expect(run.log().filter(({ type }) => type === 'run-end')).toHaveLength(1);
  });

  test(`${name}: a worker that stops finishes its current step, so that no call is interrupted`, async () => {
    const effects = createEffects();
    const store = await createStore();
    const prompt = writePages(effects, { ms: 60 });
    const first = await workHere([prompt], createDriver(), store);
    const run = createRun(prompt, { executor: first.durable.executor });
    const result = run.start({ book: 'Emma' });
    await expect.poll(() => effects.noted, { timeout: 10_000 }).toContain('write Emma 0');
    await first.stop();
    expect(run.getState().status).not.toBe('done');
    await workHere([prompt], createDriver(), store);
    expect(await result).toBe('Written.');
    expect(run.getState().toolCalls.map(({ state }) => state)).toEqual(Array(6).fill('output-available'));
  });

  test(`${name}: a step that takes longer than graceMs is aborted, and another worker continues the run`, async () => {
    const effects = createEffects();
    const store = await createStore();
    const errors: unknown[] = [];
    const prompt = writePages(effects, { ms: 300 });
    const driver = createDriver({ graceMs: 20, onError: (error) => errors.push(error) });
    const first = await workHere([prompt], driver, store);
    const run = createRun(prompt, { executor: first.durable.executor });
    const result = run.start({ book: 'Emma' });
    await expect.poll(() => effects.noted, { timeout: 10_000 }).toContain('write Emma 0');
    await first.stop();
    expect(errors).toEqual([]);
    await workHere([prompt], createDriver(), store);
    expect(await result).toBe('Written.');
    expect(run.getState().toolCalls[0]).toMatchObject({
      state: 'output-error',
      errorText: expect.stringContaining('interrupted'),
    });
    expect(effects.noted.filter((each) => each === 'write Emma 0')).toHaveLength(1);
  });
}
