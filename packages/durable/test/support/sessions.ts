import { tool, type PromptDefinition } from '@cueline/core';
import { defineAgent, defineSession, tags, type Agent, type SessionTypes } from '@cueline/core/agents';
import type { ScriptedTurn } from '@cueline/core/testing';
import * as z from 'zod';
import { after, planned, type Effects } from './prompts.ts';

type Request = Parameters<ReturnType<typeof planned>['doStream']>[0];

/** Exceeds the token limit. */
const LONG = 'x'.repeat(12_000);

/**
 * A session that pays invoices. For each, it has a turn of text and a turn with the payment, whose long result causes
 * a summary of the conversation. A payment takes `ms` milliseconds.
 */
export function payInvoices(
  effects: Effects,
  { invoices = 3, ms = 0, reach = (_place: string): void => {} } = {},
): PromptDefinition<void, SessionTypes> {
  const turns = Array.from({ length: invoices }, (_, n): ScriptedTurn[] => [
    `Now comes ${n}.`,
    [{ toolCall: { name: 'pay', input: { n } } }],
  ]).flat();
  const complete: ScriptedTurn = [{ toolCall: { name: 'task_complete', input: { summary: 'All paid.' } } }];
  const model = planned([]);
  return defineSession('payInvoices', {
    systemPrompt: 'You pay invoices.',
    tokenLimit: 2_000,
    model: {
      ...model,
      doStream(call: Request) {
        const said = JSON.stringify(call.prompt);
        effects.note(said.includes('Your summary will take its place') ? 'summary' : 'model');
        const isSummary = said.includes('Your summary will take its place');
        if (isSummary) reach('in summary');
        const paid = countPayments(said);
        // the text of a summary counts the payments before it
        const next = isSummary ? `Paid: ${paid}.` : (turns[nextTurn(said, paid)] ?? complete);
        return planned([next], { delay: ms / 10 }).doStream({ ...call, prompt: [] });
      },
    },
    tools: [
      tool(
        'pay',
        'Pays an invoice',
        z.object({ n: z.number() }),
        async ({ n }) => {
          effects.note(`pay ${n}`);
          reach('in pay');
          await after(ms);
          return `paid ${n} ${LONG}`;
        },
        { effect: 'write' },
      ),
    ],
    callbacks: { onComplete: (id, { totalTurns }) => effects.note(`complete ${id} in ${totalTurns}`) },
  });
}

/** Returns how many payments a conversation contains. */
function countPayments(said: string): number {
  const counted = /Paid: (\d+)\./.exec(said);
  const calls = said.match(/"toolName":"pay","input"|\[calls pay with/g) ?? [];
  return (counted === null ? 0 : Number(counted[1])) + calls.length;
}

/** Returns the next turn: a text comes before each call. */
function nextTurn(said: string, paid: number): number {
  return said.includes(`Now comes ${paid}.`) ? paid * 2 + 1 : paid * 2;
}

/** An agent that first gives an unusable answer, then calls a tool, and then answers. */
export function geographer(effects: Effects): Agent<{ answer: string }> {
  return defineAgent({
    name: 'geographer',
    instructions: 'You know every capital.',
    model: {
      ...planned([]),
      doStream(call: Request) {
        effects.note('model');
        const said = JSON.stringify(call.prompt);
        const looks: ScriptedTurn = [{ toolCall: { name: 'look', input: {} } }];
        const next = said.includes('<answer> is missing') ? looks : 'I do not know.';
        const turn = said.includes('"tool-result"') ? '<answer>Lisbon</answer>' : next;
        return planned([turn]).doStream({ ...call, prompt: [] });
      },
    },
    tools: [
      tool('look', 'Looks', z.object({}), () => {
        effects.note('look');
        return 'seen';
      }),
    ],
    output: tags(['answer']),
  });
}
