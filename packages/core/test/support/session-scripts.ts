import { tool, type PromptDefinition } from '@cueline/core';
import { defineSession, type SessionCallbacks } from '@cueline/core/agents';
import type { ScriptedTurn } from '@cueline/core/testing';
import { expect } from 'vitest';
import * as z from 'zod';
import { complete } from '../agents/session/sessions.ts';
import { calls } from '../support.ts';
import { stateOf, type RunStore } from './durable-runs.ts';

type Definition = PromptDefinition<never>;

/** A run that is killed after its writes, and what has to hold of it otherwise. */
export type KilledScript = {
  name: string;
  make: () => Definition;
  turns: readonly ScriptedTurn[];
  input?: unknown;
  check?(whole: RunStore): void;
};

const look = tool('look', 'Looks', z.object({ at: z.string() }), ({ at }) => `seen ${at}`, {
  effect: 'read',
});

/** A session with a tool that only reads. */
export function research(callbacks: SessionCallbacks = {}, more: object = {}): Definition {
  return defineSession('research', {
    systemPrompt: 'You look things up.',
    initialMessage: 'How often does tram 28 run?',
    tools: [look],
    callbacks,
    ...more,
  });
}

const fails = (status: number, message: string): ScriptedTurn => [{ throw: { message, status } }];

/** Everything that a session does between its turns. */
const longSession: ScriptedTurn[] = [
  calls(['look', { at: 'a' }], ['look', { at: 'b' }]),
  'I think about it.',
  'I still think.',
  fails(400, 'Field x is not known.'),
  'And think.',
  calls(['look', { at: 'c' }], ['unknown', {}]),
  [{ text: 'I was about to' }, { error: new Error('socket hang up') }],
  [{ text: 'It runs often. ' }, ...(calls(['look', { at: 'd' }]) as [])],
  complete('Every 11 minutes.', { minutes: 11 }),
];

const big = (at: string): ScriptedTurn => calls(['look', { at: at.repeat(2_400) }]);

let recent: never[] = [];
const keepsTwo: SessionCallbacks = {
  onBeforeSummarize(_id, messages) {
    recent = messages.slice(-2) as never[];
    return messages.slice(0, -2);
  },
  onAfterSummarize: (_id, summary) => [...summary, ...recent],
};

/** Sessions that are killed after their writes. */
export const sessionScripts: KilledScript[] = [
  {
    name: 'reminders, failed turns, and the end',
    make: research,
    turns: longSession,
    check({ events }) {
      expect(events.flatMap((event) => (event.type === 'steer' ? [event.text.slice(0, 16)] : []))).toEqual([
        'Please continue.',
        'REMINDER: If you',
        'The last model c',
        'Please continue.',
        'The last model c',
      ]);
    },
  },
  {
    name: 'summaries, each of which is asked for once',
    make: () => research({}, { tokenLimit: 1_200 }),
    turns: [
      big('a'),
      'Summary one.',
      calls(['look', { at: 'x' }]),
      'Hm.',
      big('b'),
      'Summary two.',
      'Hm.',
      big('c'),
      'Summary three.',
      complete(),
    ],
    check(whole) {
      expect(stateOf(whole).agents.map(({ name, status }) => [name, status])).toEqual(
        Array.from({ length: 3 }, () => ['summarize', 'done']),
      );
    },
  },
  {
    name: 'what callbacks change of a summary, and a summary that fails',
    make: () => research(keepsTwo, { tokenLimit: 2_600 }),
    turns: [
      calls(['look', { at: 'first' }]),
      big('a'),
      calls(['look', { at: 'c' }]),
      big('b'),
      fails(400, 'No summary.'),
      calls(['look', { at: 'small' }]),
      big('d'),
      'Summary.',
      calls(['look', { at: 'y' }]),
      complete(),
    ],
  },
  {
    name: 'a conversation that the provider refuses as too long',
    make: () => research({}, { tokenLimit: 100_000 }),
    turns: [
      calls(['look', { at: 'x' }]),
      fails(400, "This model's maximum context length is 128000 tokens."),
      'Summary.',
      complete(),
    ],
  },
];
