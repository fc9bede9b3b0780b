import {
  createRun,
  definePrompt,
  reduceAll,
  type EditReply,
  type PromptDefinition,
  type RunCommand,
  type RunState,
} from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createDurable, createMemoryStore, type DurableStore } from '@cueline/durable';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createEffects, workHere } from './support/driver-contract.ts';
import { planned, type Effects } from './support/prompts.ts';

const { signal } = new AbortController();

/** A prompt whose model calls a client tool. */
const look = definePrompt(
  'look',
  (desk) => {
    desk.$`Look.`;
    desk.defTool('look', 'Looks in the page', z.object({}));
  },
  { model: planned([[{ toolCall: { name: 'look', input: {} } }], 'Done.']) },
);

/** A prompt whose model calls a tool in two steps. Each call needs an approval. */
function sendTwice(effects: Effects): PromptDefinition<void> {
  const send = (to: string) => [{ toolCall: { name: 'send', input: { to } } }];
  return definePrompt(
    'sendTwice',
    (desk) => {
      desk.$`Send two letters.`;
      desk.defTool('send', 'Send', z.object({ to: z.string() }), () => effects.note('send'), {
        needsApproval: true,
      });
    },
    { model: planned([send('Ada'), send('Eve'), 'Done.']) },
  );
}

/**
 * Starts a run that waits for a user. A command of `sendLate` reads the log at once, and is stored only once `go` is
 * called.
 */
async function openRun(prompt: PromptDefinition<void>) {
  const store = createMemoryStore();
  let release = (): void => {};
  let arrive = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const slow: DurableStore = {
    ...store,
    async send(...given) {
      arrive();
      await released;
      return store.send(...given);
    },
  };
  const [durable, late] = [store, slow].map((each) => createDurable({ prompts: [prompt], store: each }));
  const { runId } = await durable!.begin({ definition: prompt, input: undefined });
  await durable!.advance(runId, signal);
  const state = async (): Promise<RunState> => reduceAll((await store.read(runId, -1))?.events ?? []);
  return {
    store,
    runId,
    state,
    send: (command: RunCommand): Promise<EditReply> => durable!.respond(runId, command),
    async sendLate(command: RunCommand): Promise<{ reply: Promise<EditReply>; go(): void }> {
      const reply = late!.respond(runId, command);
      await arrived;
      return { reply, go: release };
    },
    advance: () => durable!.advance(runId, signal),
  };
}

async function openLook() {
  const run = await openRun(look);
  const [{ clientCallId } = { clientCallId: '' }] = (await run.state()).clientToolCalls;
  const claim = (page: string, instead?: string): RunCommand => ({
    type: 'client-tool-claim',
    clientCallId,
    page,
    ...(instead === undefined ? {} : { instead }),
  });
  return { ...run, clientCallId, claim };
}

const taken = { accepted: false, reason: expect.stringContaining('Another page already runs') as string };

test.each(['waits for a worker', 'is in the log'])(
  'one page gets the call of a client tool: while its claim %s, the claim of another page is refused',
  async (where) => {
    const { store, runId, state, send, advance, claim } = await openLook();
    expect(await send(claim('page-1'))).toEqual({ accepted: true });
    if (where === 'is in the log') {
      expect(await advance()).toMatchObject({ status: 'waiting' });
      expect((await state()).clientToolCalls).toMatchObject([{ page: 'page-1' }]);
    }
    expect(await send(claim('page-2'))).toEqual(taken);
    expect(await send(claim('page-2', 'a page without a claim'))).toEqual(taken);
    // the first page repeats its claim, as after a lost reply
    expect(await send(claim('page-1'))).toEqual({ accepted: true });
    await advance();
    expect((await state()).clientToolCalls).toMatchObject([{ page: 'page-1' }]);
    expect(await store.commands(runId)).toEqual([]);
  },
);

test('if several pages claim the call of a page that is gone, the first one gets it', async () => {
  const { state, send, advance, claim } = await openLook();
  await send(claim('page-1'));
  await advance();
  expect(await send(claim('page-2', 'page-1'))).toEqual({ accepted: true });
  expect(await send(claim('page-3', 'page-1'))).toEqual(taken);
  await advance();
  expect(await send(claim('page-3', 'page-1'))).toEqual(taken);
  expect(await send(claim('page-3', 'page-2'))).toEqual({ accepted: true });
  await advance();
  expect((await state()).clientToolCalls).toMatchObject([{ page: 'page-3' }]);
});

test('claims of one call by several pages leave one command, whatever page each one replaces', async () => {
  const { store, runId, send, claim } = await openLook();
  for (const page of ['page-1', 'page-2', 'page-3']) await send(claim(page, `instead of ${page}`));
  expect(await store.commands(runId)).toHaveLength(1);
});

test('a claim is refused if a worker has handled the claim of another page since the log was read', async () => {
  const { store, runId, state, send, sendLate, advance, claim } = await openLook();
  const { reply, go } = await sendLate(claim('page-2'));
  expect(await send(claim('page-1'))).toEqual({ accepted: true });
  await advance();
  go();
  expect(await reply).toEqual(taken);
  expect((await state()).clientToolCalls).toMatchObject([{ page: 'page-1' }]);
  expect(await store.commands(runId)).toEqual([]);
});

test.each([{ approved: false }, { approved: true }] as const)(
  'if a worker has handled an approval since the log was read, a refusal is refused and the same response accepted: %o',
  async (response) => {
    const effects = createEffects();
    const { store, runId, state, send, sendLate, advance } = await openRun(sendTwice(effects));
    const [{ approvalId } = { approvalId: '' }] = (await state()).approvals;
    const command = { type: 'approval-response', approvalId } as const;
    const { reply, go } = await sendLate({ ...command, response });
    expect(await send({ ...command, response: { approved: true } })).toEqual({ accepted: true });
    // for the approval of the second letter
    expect(await advance()).toMatchObject({ status: 'waiting' });
    expect(effects.noted).toHaveLength(1);
    go();
    expect((await reply).accepted).toBe(response.approved);
    expect(await store.commands(runId)).toEqual([]);
    expect(await advance()).toMatchObject({ status: 'waiting' });
    expect(effects.noted).toHaveLength(1);
  },
);

test('a waiting run shows the tokens of the model calls of its open steps, including those of agents, and counts them once', async () => {
  const call = (name: string) => [
    { toolCall: { name } },
    { finish: { usage: { inputTokens: 100, outputTokens: 10 } } },
  ];
  const prompt = definePrompt(
    'delegates',
    (builder) => {
      builder.defAgent('helper', 'Helps', z.object({}), (_args, inner) => {
        inner.defTool('send', 'Sends it', z.object({}), () => 'sent', { needsApproval: true });
        inner.$`Send it.`;
      });
      builder.$`Go.`;
    },
    { model: scriptedModel([call('helper'), call('send'), 'Sent.', 'Done.']) },
  );
  const { durable } = await workHere([prompt]);
  const run = createRun(prompt, { executor: durable.executor });
  const result = run.start();
  await expect.poll(() => run.getState().status).toBe('waiting');
  expect(run.getState().usage).toEqual({ inputTokens: 200, outputTokens: 20, totalTokens: 220 });
  expect(run.getState().agents[0]?.usage).toEqual({ inputTokens: 100, outputTokens: 10, totalTokens: 110 });
  const { runId, approvals } = run.getState();
  const approvalId = approvals[0]?.approvalId ?? '';
  await durable.respond(runId, { type: 'approval-response', approvalId, response: { approved: true } });
  expect(await result).toBe('Done.');
  const { steps, agents, usage } = run.getState();
  const all = [...steps, ...(agents[0]?.steps ?? [])];
  expect(usage.inputTokens).toBe(all.reduce((sum, step) => sum + (step.usage?.inputTokens ?? 0), 0));
});
