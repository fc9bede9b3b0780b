import { definePrompt, tool, type PromptDefinition } from '@cueline/core';
import { defineAgent, tags } from '@cueline/core/agents';
import { expect } from 'vitest';
import * as z from 'zod';
import { calls } from '../support.ts';
import { stateOf } from './durable-runs.ts';
import type { KilledScript } from './session-scripts.ts';

type Definition = PromptDefinition<never>;

const look = tool('look', 'Looks', z.object({ at: z.string() }), ({ at }) => `seen ${at}`, {
  effect: 'read',
});

/** An agent that answers in tags, and may be interrupted twice. */
const geographer = defineAgent({
  name: 'geographer',
  instructions: 'You know every capital.',
  tools: [look],
  output: tags(['answer']),
  maxInterrupts: 2,
  onException: ({ error_message, attempt }) => `Try ${attempt + 1}: ${error_message}`,
  onInterrupt: 'Go on.',
});

const looking = (at: string) => calls(['look', { at }]);

/** A prompt with a tool that only reads, which calls an agent twice. */
function asks(): Definition {
  return definePrompt('asks', (prompt) => {
    prompt.$`Ask both.`;
    prompt.defTool(
      'ask',
      'Asks the geographer',
      z.object({ of: z.string() }),
      async ({ of }, context) => {
        const first = await geographer.call(`The capital of ${of}?`, { context });
        const second = await geographer.call('And its river?', { context, dialog: first.dialog });
        return [
          first.output.answer,
          first.attempts,
          first.calls.length,
          second.output.answer,
          second.attempts,
        ];
      },
      { effect: 'read' },
    );
  });
}

/** Agent calls that are killed after their writes. */
export const agentScripts: KilledScript[] = [
  {
    name: 'unusable answers, interrupts, and the last one',
    make: () => geographer,
    input: 'What is the capital of Portugal?',
    turns: [
      'I do not know.',
      looking('maps'),
      'It may be Lisbon.',
      looking('books'),
      looking('more'),
      '<answer>Lisbon</answer>',
    ],
    check: (whole) => expect(stateOf(whole).result).toEqual({ answer: 'Lisbon' }),
  },
  {
    name: 'two calls inside a tool',
    make: asks,
    turns: [
      calls(['ask', { of: 'Portugal' }]),
      'Hm.',
      looking('maps'),
      '<answer>Lisbon</answer>',
      'The Tagus.',
      '<answer>Tagus</answer>',
      calls(['ask', { of: 'Spain' }]),
      '<answer>Madrid</answer>',
      looking('rivers'),
      'Manzanares?',
      '<answer>Manzanares</answer>',
      'Done.',
    ],
    check(whole) {
      const state = stateOf(whole);
      expect(state.toolCalls.map(({ output }) => output)).toEqual([
        ['Lisbon', 2, 1, 'Tagus', 2],
        ['Madrid', 1, 0, 'Manzanares', 2],
      ]);
      expect(state.agents).toHaveLength(4);
    },
  },
];
