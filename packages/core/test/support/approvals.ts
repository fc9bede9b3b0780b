import {
  runPrompt,
  type RunHandle,
  type Prompt,
  type PromptConfig,
  type PromptSource,
  type ApprovalResponse,
  type ApprovalState,
  type EditReply,
  type ToolOptions,
} from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { expect } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent-requests.ts';

export const amount = z.object({ amount: z.number() });

/** A run whose requests `answer` answers, as they come. */
export async function play(
  source: PromptSource,
  turns: readonly ScriptedTurn[],
  answer: (request: ApprovalState, run: RunHandle) => ApprovalResponse | undefined,
  options: PromptConfig['options'] = {},
) {
  const model = scriptedModel(turns);
  const { run, result } = await runPrompt(source, { model, options });
  const statuses: string[] = [];
  const replies: Promise<EditReply>[] = [];
  run.listen((event) => {
    if (statuses.at(-1) !== run.getState().status) statuses.push(run.getState().status);
    if (event.type !== 'approval-request') return;
    const given = answer(
      run.getState().approvals.find(({ approvalId }) => approvalId === event.approvalId)!,
      run,
    );
    // not at once, so that there is something to see
    if (given !== undefined)
      setTimeout(() => replies.push(run.respondToApproval(event.approvalId, given)), 3);
  });
  const state = await run.finished;
  for (const reply of await Promise.all(replies)) expect(reply).toEqual({ accepted: true });
  return { run, result, model, state, statuses, sent: sent(model) };
}

export const approve = (): ApprovalResponse => ({ approved: true });

/** A prompt with one tool that pays, and what it paid. */
export function payment(options: ToolOptions<{ amount: number }> = {}): {
  source: (prompt: Prompt) => void;
  paid: number[];
} {
  const paid: number[] = [];
  const source = (prompt: Prompt): void => {
    prompt.defTool(
      'pay',
      '',
      amount,
      ({ amount }) => {
        paid.push(amount);
        return `paid ${amount}`;
      },
      options,
    );
    prompt.$`Pay.`;
  };
  return { source, paid };
}
