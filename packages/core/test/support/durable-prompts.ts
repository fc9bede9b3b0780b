import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { definePrompt, type Prompt, type PromptDefinition } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import * as z from 'zod';
import { calls } from '../support.ts';

/** Something that was done, which must not be done twice. */
export type Done = string[];

export type Definition = PromptDefinition<never>;

/** A prompt whose tools read and write. */
export function bookTrip(done: Done): Definition {
  return definePrompt('bookTrip', (prompt) => {
    prompt.$`Book a trip for ${prompt.def('NAME', 'Ada')}.`;
    prompt.defTool('search', 'Search', z.object({ city: z.string() }), ({ city }) => `trains to ${city}`, {
      effect: 'read',
    });
    prompt.defTool(
      'book',
      'Book',
      z.object({ train: z.number() }),
      ({ train }) => {
        done.push(`book ${train}`);
        return { ticket: train * 10 };
      },
      { effect: 'write' },
    );
  });
}

export const trip: ScriptedTurn[] = [
  calls(['search', { city: 'Faro' }]),
  calls(['book', { train: 7 }], ['book', { train: 8 }]),
  'Booked.',
];

/** A prompt with a tool that needs an approval. */
export function ask(done: Done): Definition {
  return definePrompt('ask', (prompt) => {
    prompt.$`Send it.`;
    prompt.defTool(
      'send',
      'Send',
      z.object({ to: z.string() }),
      ({ to }) => {
        done.push(`send ${to}`);
        return 'sent';
      },
      { effect: 'external', needsApproval: true },
    );
    prompt.defTool('look', 'Look', z.object({}), () => 'seen', { effect: 'read' });
  });
}

/** Two calls that need an approval, and one that needs none. */
export const sendTwo: ScriptedTurn[] = [
  calls(['send', { to: 'a' }], ['send', { to: 'b' }], ['look']),
  'Sent.',
];

/** A prompt with an agent, `helper`, that `define` gives its tools. */
export function withHelper(define: (inner: Prompt) => void): Definition {
  return definePrompt('parent', (prompt) => {
    prompt.$`Ask the helper.`;
    prompt.defAgent('helper', 'Helps', z.object({}), (_args, inner) => {
      inner.$`You are the helper.`;
      define(inner);
    });
  });
}

/** The turns of a parent that calls its helper, and these turns of the helper. */
export const helperTurns =
  (own: readonly ScriptedTurn[]) =>
  ({ prompt }: LanguageModelV4CallOptions): readonly ScriptedTurn[] =>
    JSON.stringify(prompt[0]).includes('You are the helper') ? own : [calls(['helper']), 'Helped.'];

/** A prompt with two tasks. */
export function tasks(done: Done): Definition {
  return definePrompt('tasks', (prompt) => {
    prompt.$`Work.`;
    prompt.defTool(
      'act',
      'Act',
      z.object({ on: z.string() }),
      ({ on }) => {
        done.push(`act ${on}`);
        return 'acted';
      },
      { effect: 'write' },
    );
    prompt.defTaskList([
      { task: 'Do a', validation: (result) => (result === 'a' ? undefined : 'It must be a.') },
      { task: 'Do b' },
    ]);
  });
}

const taskTurns: Record<'a' | 'b', ScriptedTurn[]> = {
  a: [
    calls(['act', { on: 'a' }]),
    calls(['finishTask', { result: 'x' }]),
    calls(['finishTask', { result: 'a' }]),
  ],
  b: ['I think that is all.', calls(['finishTask', { result: 'b' }]), 'All done.'],
};

/** The turns of the task that is current in a call, which has none of the answers to earlier tasks. */
export const turnsOfTask = ({ prompt }: LanguageModelV4CallOptions): ScriptedTurn[] =>
  taskTurns[JSON.stringify(prompt).includes('[Task 1/2] Do a') ? 'a' : 'b'];
