import { createRun, type RunState } from '@cueline/core';
import { createDurable } from '@cueline/durable';
import { expect, onTestFinished, test } from 'vitest';
import { endsProcess, everyEffect, everyTool, treeAndTasks } from './driver-prompts.ts';
import { checkLog, startReader, type DriverSetup, type Reader, type WorkerModule } from './driver-setup.ts';
import { sendLetter, writePages, type Effects } from './prompts.ts';
import { payInvoices } from './sessions.ts';
import { createWorkers, type Workers } from './workers.ts';

const nothing: Effects = { note: () => {} };

/** Where a process is killed: in an answer of the model, between an answer and its tools, in each tool, … */
const places = [
  'in answer',
  'after the answer',
  'while it stores',
  ...Object.keys(everyTool).map((tool) => `in ${tool}`),
  'before results are stored',
  'after the first result',
];

/** Tests one kill of a worker process. */
export function testKilledWorkers(name: string, setup: DriverSetup, module: WorkerModule): void {
  test(`${name}: a worker is killed in a tool that writes, and another continues the run`, async () => {
    expect(await killAt(setup, module, 'in write')).toMatchObject({ result: 'All done.' });
  }, 60_000);
}

/** Tests kills of a worker process at every place, and with many runs. */
export function testKilledWorkersLong(name: string, setup: DriverSetup, module: WorkerModule): void {
  test.each(places)(
    `${name}: a worker is killed %s, and another continues the run`,
    async (place) => {
      expect(await killAt(setup, module, place)).toMatchObject({ result: 'All done.' });
    },
    120_000,
  );

  test(`${name}: a frozen worker stores nothing when it continues after another worker has taken its run over`, async () => {
    expect(await freeze(setup, module)).toMatchObject({ result: 'All done.' });
  }, 60_000);

  test(`${name}: a run that ends every process is ended, and the run beside it gets to its end`, async () => {
    const workers = open(module);
    const bad = await startReader(setup, endsProcess({ effects: nothing }));
    const good = await startReader(setup, everyEffect({ effects: nothing }));
    const isOver = (): boolean => bad.run.getState().status === 'error';
    for (let started = 0; started < 12 && !isOver(); started += 1) {
      const worker = await workers.start();
      await Promise.race([worker.ended, bad.result.catch(() => {})]);
    }
    expect((await checkLog(setup, bad)).error).toMatchObject({ code: 'interrupted' });
    // one began the run, and six took it over
    expect(workers.effects().filter((each) => each === 'end of a process')).toHaveLength(7);
    expect(await good.result).toBe('All done.');
    await checkLog(setup, good);
  }, 120_000);

  test.each(['in note a', 'in note b'])(
    `${name}: a worker is killed %s of an agent, and the agent and the task list continue`,
    async (place) => {
      const { state, workers } = await killOnce(setup, module, place, (settings) => treeAndTasks(settings));
      expect(state).toMatchObject({ status: 'done', result: 'All done.' });
      expect(state.agents).toHaveLength(1);
      expect(state.agents[0]).toMatchObject({ status: 'done', text: 'Noted.' });
      expect(state.tasks.map(({ status }) => status)).toEqual(['completed', 'completed']);
      expect(startsOf(workers, 'note-a')).toHaveLength(1);
      expect(startsOf(workers, 'note-b')).toHaveLength(1);
    },
    120_000,
  );

  test(`${name}: an approval is answered after its worker was killed, before another one is up`, async () => {
    const workers = open(module);
    const reader = await startReader(setup, sendLetter(nothing));
    const worker = await workers.start();
    await expect.poll(() => reader.run.getState().status, { timeout: 20_000 }).toBe('waiting');
    worker.kill('SIGKILL');
    await worker.ended;
    const [{ approvalId } = { approvalId: '' }] = reader.run.getState().approvals;
    const respond = (approved: boolean) => reader.run.respondToApproval(approvalId, { approved });
    expect(await respond(true)).toEqual({ accepted: true });
    expect(await respond(true)).toEqual({ accepted: true });
    expect(await respond(false)).toMatchObject({ accepted: false });
    await workers.start();
    expect(await reader.result).toBe('Sent.');
    await checkLog(setup, reader);
    expect(workers.effects().filter((each) => each === 'send Ada')).toHaveLength(1);
  }, 120_000);

  test.runIf(module.many)(
    `${name}: two workers share 50 runs, one is killed, and no write starts twice`,
    async () => {
      const workers = open(module);
      const store = await setup.createStore();
      const prompt = writePages(nothing, { steps: 5 });
      const durable = createDurable({ prompts: [prompt], store, driver: setup.createDriver() });
      const books = Array.from({ length: 50 }, (_, index) => `Book-${index}`);
      const runs = books.map((book) => ({ book, run: createRun(prompt, { executor: durable.executor }) }));
      const results = runs.map(({ book, run }) => run.start({ book }));
      const [doomed] = await Promise.all([workers.start({ ms: 20 }), workers.start({ ms: 20 })]);
      const writes = (): string[] => workers.effects().filter((each) => each.startsWith('write '));
      await expect.poll(() => writes().length, { timeout: 60_000 }).toBeGreaterThan(60);
      doomed.kill('SIGKILL');
      expect(new Set(await Promise.all(results))).toEqual(new Set(['Written.']));
      expect(writes()).toHaveLength(new Set(writes()).size);
      for (const { run } of runs) {
        expect(run.log().map(({ seq }) => seq)).toEqual(run.log().map((_event, index) => index));
        expect(run.log().filter(({ type }) => type === 'run-end')).toHaveLength(1);
      }
    },
    180_000,
  );

  test.each(Object.entries(setup.outages ?? {}))(
    `${name}: %s is killed during tool calls and is back after 10 seconds, and the run continues`,
    async (_what, outage) => {
      const workers = open(module);
      const reader = await startReader(setup, everyEffect({ effects: nothing }));
      await workers.start({ ms: 2_000 });
      await expect.poll(() => startsOf(workers, 'write').length, { timeout: 20_000 }).toBe(1);
      onTestFinished(outage.start);
      await outage.kill();
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      await outage.start();
      expect(await reader.result).toBe('All done.');
      checkEffects(await checkLog(setup, reader), workers);
    },
    180_000,
  );

  test.each(['in pay', 'in summary'])(
    `${name}: a worker is killed %s of a session, and the session continues`,
    async (place) => {
      const { state, workers } = await killOnce(setup, module, place, ({ effects }) => payInvoices(effects));
      expect(state).toMatchObject({ status: 'done', result: { summary: 'All paid.' } });
      for (const n of [0, 1, 2]) {
        expect(
          workers.effects().filter((each) => each === `pay ${n}`),
          `invoice ${n}`,
        ).toHaveLength(1);
      }
      expect(state.toolCalls[0]?.state).toBe(place === 'in pay' ? 'output-error' : 'output-available');
    },
    120_000,
  );
}

function open(module: WorkerModule): Workers {
  const workers = createWorkers(module);
  onTestFinished(() => workers.end());
  return workers;
}

async function killAt(setup: DriverSetup, module: WorkerModule, place: string): Promise<RunState> {
  const { state, workers } = await killOnce(setup, module, place, (settings) => everyEffect(settings));
  checkEffects(state, workers);
  const answers = workers.effects().filter((each) => each === 'model').length;
  // an answer that was not stored yet is lost, and the model is called again
  const lost = place === 'in answer' ? [3] : place === 'while it stores' ? [2, 3] : [2];
  expect(lost).toContain(answers);
  return state;
}

/** Runs a prompt. Its first worker is killed at a place, and a second one continues. */
async function killOnce(
  setup: DriverSetup,
  module: WorkerModule,
  place: string,
  prompt: (settings: { effects: Effects }) => Parameters<typeof startReader>[1],
): Promise<{ state: RunState; workers: Workers; reader: Reader }> {
  const workers = open(module);
  workers.killAt(place);
  const reader = await startReader(setup, prompt({ effects: nothing }));
  const first = await workers.start();
  expect(await first.ended, place).toEqual([null, 'SIGKILL']);
  expect(reader.run.getState().status).not.toBe('done');
  await workers.start();
  await reader.result;
  return { state: await checkLog(setup, reader), workers, reader };
}

async function freeze(setup: DriverSetup, module: WorkerModule): Promise<RunState> {
  const workers = open(module);
  const reader = await startReader(setup, everyEffect({ effects: nothing }));
  const frozen = await workers.start({ ms: 400 });
  await expect.poll(() => startsOf(workers, 'write').length, { timeout: 20_000 }).toBe(1);
  frozen.kill('SIGSTOP');
  await workers.start();
  expect(await reader.result).toBe('All done.');
  const before = (await (await setup.createStore()).read(reader.runId, -1))?.events.length;
  frozen.kill('SIGCONT');
  await new Promise((resolve) => setTimeout(resolve, 800));
  const state = await checkLog(setup, reader);
  checkEffects(state, workers);
  expect((await (await setup.createStore()).read(reader.runId, -1))?.events).toHaveLength(before ?? -1);
  return state;
}

/** Returns every start of a tool, as `<tool> <idempotency key>`. */
function startsOf(workers: Workers, tool: string): string[] {
  return workers.effects().filter((each) => each.startsWith(`${tool} `));
}

/** Checks what is promised for the calls of {@link everyEffect}, wherever processes were killed. */
function checkEffects(state: RunState, workers: Workers): void {
  expect(state).toMatchObject({ status: 'done', result: 'All done.' });
  expect(state.toolCalls).toHaveLength(Object.keys(everyTool).length);
  for (const [tool, mayStartAgain] of Object.entries(everyTool)) {
    const call = state.toolCalls.find(({ toolName }) => toolName === tool);
    const starts = startsOf(workers, tool);
    if (mayStartAgain) {
      expect(call, tool).toMatchObject({ output: `${tool} is done` });
      // with the same idempotency key
      expect(new Set(starts).size, tool).toBe(1);
    } else if (call?.state === 'output-available') {
      expect(starts, tool).toHaveLength(1);
    } else {
      // 0 if the process was killed after it stored the start, and before it called the function
      expect(starts.length, tool).toBeLessThanOrEqual(1);
      expect(call?.errorText, tool).toContain('interrupted');
    }
  }
}
