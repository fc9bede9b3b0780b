import { definePrompt, type PromptDefinition, type RunEvent } from '@cueline/core';
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { LimitStore } from '@cueline/edge';
import * as z from 'zod';
import type { Server } from './durable-server.ts';
import { all, client, idOf, never, post } from './routes.ts';

const usage = { finish: { usage: { inputTokens: 900, outputTokens: 100 } } } as const;
export const looks: ScriptedTurn = [{ toolCall: { name: 'look', input: {} } }, usage];
/** Uses 3,000 tokens. */
export const heavy: ScriptedTurn = [
  { toolCall: { name: 'look', input: {} } },
  { finish: { usage: { inputTokens: 2_900, outputTokens: 100 } } },
];
export const sends: ScriptedTurn = [{ toolCall: { name: 'send', input: {} } }, usage];
export const says: ScriptedTurn = ['Done.', usage];

export type Site = { prompt: PromptDefinition; calls: string[]; onLook: { run: () => unknown } };

/** A prompt whose model answers by what it is sent, as every process would have it, and notes its calls. */
export function createSite(turns: readonly ScriptedTurn[]): Site {
  const calls: string[] = [];
  const onLook = { run: (): unknown => 'seen' };
  const inner = scriptedModel(['unused']);
  const model: ScriptedModel = {
    ...inner,
    doStream(call) {
      const answers = call.prompt.filter(({ role }) => role === 'assistant').length;
      calls.push(`call ${answers}`);
      return scriptedModel([turns[answers] ?? says]).doStream(call);
    },
  };
  const prompt = definePrompt(
    'desk',
    (desk) => {
      desk.$`Help.`;
      desk.defTool('look', 'Looks', z.object({}), async () => String(await onLook.run()), { effect: 'read' });
      desk.defTool('send', 'Sends', z.object({}), () => 'sent', { effect: 'external', needsApproval: true });
    },
    { model },
  );
  return { prompt, calls, onLook };
}

/** Returns how many tokens of today a subject has used or reserved. */
export async function usedBy(store: LimitStore, subject = 'ada'): Promise<number> {
  const day = 10_000_000;
  const fits = async (tokens: number): Promise<boolean> => {
    const call = { subject, id: 'probe', tokens, dailyTokens: day, rpm: Infinity, concurrent: Infinity };
    const { ok } = await store.reserve({ ...call, leaseMs: 1_000, continues: true });
    if (ok) await store.settle({ subject, id: 'probe', tokens: 0 });
    return ok;
  };
  let [low, high] = [0, day];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (await fits(middle)) low = middle;
    else high = middle - 1;
  }
  return day - low;
}

export const start = async (server: Server, key: string, subject = 'ada'): Promise<Response> => {
  const response = await server.fetch(subject)(post({ key }));
  if (response.ok) await response.body?.cancel();
  return response;
};
export const runIdOf = (response: Response): string => response.headers.get('x-cueline-run') ?? '';
export const endOf = async (server: Server, runId: string): Promise<RunEvent | undefined> =>
  (await all(server.durable.watch(runId, -1, never()))).at(-1);
export const approve = (server: Server, events: readonly RunEvent[]): unknown => {
  const asked = events.find((event) => event.type === 'approval-request');
  if (asked?.type !== 'approval-request') throw new Error('Nothing is asked.');
  const response = { approved: true } as const;
  return client(server).send(idOf(events), {
    type: 'approval-response',
    approvalId: asked.approvalId,
    response,
  });
};
export const request = (site: Site): { definition: PromptDefinition; input: undefined } => ({
  definition: site.prompt,
  input: undefined,
});

export async function endedOf({ durable }: Server, runId: string): Promise<boolean> {
  return (await durable.find({ runId }))?.endSeq !== undefined;
}
