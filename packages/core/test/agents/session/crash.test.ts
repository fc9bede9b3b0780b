import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { runAgentSession, type AgentSession } from '@cueline/core/agents';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { ModelMessage } from 'ai';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { json } from '../../support.ts';
import { complete } from './sessions.ts';

// a test makes many runs
vi.setConfig({ testTimeout: 60_000 });

/** Who is charged, two at a time, as a tool that must not run twice does it. */
const customers = ['ada', 'ben', 'cyd', 'dan', 'eve'];

/** A model that reads only the conversation: it charges every customer whose charge is not in it. */
function clerk(): LanguageModelV4 {
  const answer = ({ prompt }: LanguageModelV4CallOptions): ScriptedTurn => {
    const seen = JSON.stringify(prompt);
    const open = customers.filter((name) => !seen.includes(`charge-${name}`));
    if (open.length === 0) return complete('Everyone is charged.');
    return [
      { text: `Now ${open[0]}.` },
      ...open
        .slice(0, 2)
        .map((name) => ({ toolCall: { name: 'charge', input: { name }, id: `charge-${name}` } })),
    ];
  };
  const empty = scriptedModel([]);
  return { ...empty, doStream: (call) => scriptedModel([answer(call)]).doStream(call) };
}

type Life = { session: AgentSession; charged: string[]; stored: ModelMessage[]; moments: number };

/** A life of the process, which ends after so many things have happened. What is stored then is what is left of it. */
async function live(
  initialMessages: readonly ModelMessage[],
  charged: string[],
  lastMoment: number,
): Promise<Life> {
  let stored: ModelMessage[] = json([...initialMessages]);
  let moments = 0;
  let die: () => void = () => {};
  const dead = new Promise<'dead'>((resolve) => (die = () => resolve('dead')));
  let isDead = false;
  /** Something happens; from the last moment on, nothing does any more. */
  const moment = async (): Promise<void> => {
    moments += 1;
    if (moments >= lastMoment) {
      isDead = true;
      die();
    }
    if (isDead) await new Promise(() => {});
  };
  const session = runAgentSession(clerk(), {
    sessionId: 'billing',
    systemPrompt: 'You charge customers.',
    initialMessages,
    tools: {
      charge: {
        description: 'Charge a customer',
        inputSchema: z.object({ name: z.string() }),
        execute: async ({ name }) => {
          // killed before it has an effect, or right after
          await moment();
          charged.push(name);
          await moment();
          return { charged: name };
        },
      },
    },
    callbacks: {
      onTurnStart: moment,
      onAssistantMessage: moment,
      onToolCall: moment,
      onToolResult: moment,
      onMessagesUpdate: async (_, messages) => {
        await moment();
        stored = json(messages);
        await moment();
      },
    },
  });
  await Promise.race([session.promise, dead]);
  return { session, charged, stored, moments };
}

test('a session that is killed at any moment and resumed from the stored log completes and charges no customer twice', async () => {
  const { moments } = await live([], [], Infinity);
  expect(moments).toBeGreaterThan(30);
  for (const lastMoment of Array.from({ length: moments }, (_, index) => index + 1)) {
    const first = await live([], [], lastMoment);
    const second = await live(first.stored, [...first.charged], Infinity);
    const result = await second.session;
    expect([lastMoment, result.completionReason]).toEqual([lastMoment, 'task_complete']);
    expect([lastMoment, second.charged.toSorted()]).toEqual([
      lastMoment,
      [...new Set(second.charged)].toSorted(),
    ]);
    // every customer is charged, except those whose call was in progress, which the user has to look into
    const interrupted =
      JSON.stringify(result.messages).split('This call was interrupted before its end.').length - 1;
    expect(second.charged.length).toBeGreaterThanOrEqual(customers.length - interrupted);
  }
});

test('a session that is killed twice in a row still charges no customer twice', async () => {
  for (const lastMoment of Array.from({ length: 13 }, (_, index) => 3 * index + 1)) {
    const first = await live([], [], lastMoment);
    const second = await live(first.stored, [...first.charged], 7);
    const third = await live(second.stored, [...second.charged], Infinity);
    expect((await third.session).completionReason).toBe('task_complete');
    expect(new Set(third.charged).size).toBe(third.charged.length);
  }
});
