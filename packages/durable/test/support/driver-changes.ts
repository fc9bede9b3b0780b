import { createRun, definePrompt, type PromptDefinition } from '@cueline/core';
import { createDurable } from '@cueline/durable';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createEffects, workHere } from './driver-contract.ts';
import { sameAgain } from './driver-prompts.ts';
import type { DriverSetup } from './driver-setup.ts';
import { planned, sendLetter, writePages, type Effects } from './prompts.ts';

type Version = { name: string; tool?: { input: z.ZodType }; runs: boolean };

/** Versions of the prompt that are deployed while a call of the first version waits for its approval. */
const versions: Version[] = [
  { name: 'another text', tool: { input: z.object({ to: z.string() }) }, runs: true },
  { name: 'one tool less', runs: false },
  {
    name: 'another schema of the tool',
    tool: { input: z.object({ to: z.string(), subject: z.string() }) },
    runs: false,
  },
];

function newVersion(effects: Effects, { tool }: Version): PromptDefinition<void> {
  const model = planned([[{ toolCall: { name: 'send', input: { to: 'Ada' } } }], 'Seen.']);
  return definePrompt(
    'sendLetter',
    (prompt) => {
      prompt.$`Send it, says the new version.`;
      if (tool === undefined) return;
      prompt.defTool('send', 'Send', tool.input, () => {
        effects.note('sent by the new version');
        return 'sent';
      });
    },
    { model },
  );
}

/** Tests changes between two steps: of the prompt's version, and of the worker. */
export function testChanges(name: string, { createDriver, createStore }: DriverSetup): void {
  test.each(versions)(`${name}: a deployment with $name continues the run`, async (version) => {
    const effects = createEffects();
    const store = await createStore();
    const old = await workHere([sendLetter(effects)], createDriver(), store);
    const run = createRun(sendLetter(effects), { executor: old.durable.executor });
    const result = run.start();
    await expect.poll(() => run.getState().status, { timeout: 10_000 }).toBe('waiting');
    await old.stop();
    const [{ approvalId } = { approvalId: '' }] = run.getState().approvals;
    const { durable } = await workHere([newVersion(effects, version)], createDriver(), store);
    const command = { type: 'approval-response', approvalId, response: { approved: true } } as const;
    expect(await durable.respond(run.getState().runId, command)).toEqual({ accepted: true });
    expect(await result).toBe('Seen.');
    expect(effects.noted).toEqual(version.runs ? ['sent by the new version'] : []);
    expect(run.getState().toolCalls[0]?.state).toBe(version.runs ? 'output-available' : 'output-error');
    expect(JSON.stringify(run.getState().steps.at(-1)?.request.messages)).toContain('says the new version');
  });

  test(`${name}: a worker of an earlier deployment leaves a run of a new prompt to one that knows it`, async () => {
    const effects = createEffects();
    const store = await createStore();
    const prompt = writePages(effects);
    const starter = createDurable({ prompts: [prompt], store, driver: createDriver() });
    const { runId } = await starter.begin({ definition: prompt, input: { book: 'Emma' } });
    const errors: unknown[] = [];
    const old = await workHere([], createDriver({ onError: (error) => errors.push(error) }), store);
    const ofRun = (): unknown[] => errors.filter((error) => String(error).includes(runId));
    await expect.poll(ofRun, { timeout: 10_000 }).not.toEqual([]);
    expect(String(ofRun()[0])).toContain('"writePages", which this worker does not know');
    await workHere([prompt], createDriver(), store);
    await old.stop();
    await expect.poll(async () => (await store.read(runId, -1))?.ended, { timeout: 20_000 }).toBe(true);
    expect((await store.read(runId, -1))?.events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
    expect(effects.noted.filter((each) => each.startsWith('write'))).toHaveLength(3);
  }, 40_000);

  test(`${name}: the loop guard holds across workers`, async () => {
    const effects = createEffects();
    const store = await createStore();
    const prompt = sameAgain({ effects, ms: 30 });
    const calls = (): number => effects.noted.length;
    let worker = await workHere([prompt], createDriver(), store);
    const run = createRun(prompt, { executor: worker.durable.executor });
    const result = run.start();
    result.catch(() => {});
    for (const count of [1, 3]) {
      await expect.poll(calls, { timeout: 10_000 }).toBeGreaterThanOrEqual(count);
      await worker.stop();
      worker = await workHere([prompt], createDriver(), store);
    }
    await expect(result).rejects.toMatchObject({ code: 'loop_detected' });
    expect(run.getState().steps).toHaveLength(6);
    expect(calls()).toBe(6);
  });

  test(`${name}: a limit holds across workers`, async () => {
    const effects = createEffects();
    const store = await createStore();
    const prompt = sameAgain({ effects, ms: 30 });
    const first = await workHere([prompt], createDriver(), store);
    const run = createRun(prompt, { executor: first.durable.executor, options: { limits: { steps: 4 } } });
    const result = run.start();
    result.catch(() => {});
    await expect.poll(() => effects.noted.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(2);
    await first.stop();
    await workHere([prompt], createDriver(), store);
    await expect(result).rejects.toMatchObject({ code: 'budget_exceeded' });
    expect(effects.noted).toHaveLength(4);
  });
}
