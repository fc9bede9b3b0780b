import type { Prompt, PromptSource } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import { afterEach, beforeEach } from 'vitest';
import * as z from 'zod';
import { call } from '../support.ts';
import { after } from './runs.ts';

export const none = z.object({});

/** The run, an agent, an agent of it, and a tool of that one. */
export const threeLevels =
  (deepest: (signal: AbortSignal | undefined, prompt: Prompt) => unknown): PromptSource =>
  (prompt) => {
    prompt.defAgent('outer', '', none, (_outer, first) => {
      first.defAgent('inner', '', none, (_inner, second) => {
        second.defTool('work', '', none, (_args, { abortSignal }) => deepest(abortSignal, second));
        second.$`Work.`;
      });
      first.$`Call inner.`;
    });
    prompt.$`Call outer.`;
  };
export const down: readonly ScriptedTurn[] = [[call('outer')], [call('inner')], [call('work')]];

/** Fails a test that leaves a rejection unhandled. */
export function failOnUnhandledRejections(): void {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  beforeEach(() => {
    unhandled.length = 0;
    process.on('unhandledRejection', note);
  });
  afterEach(async () => {
    // Node reports them at the end of a turn of the event loop.
    await after(5);
    process.off('unhandledRejection', note);
    if (unhandled.length > 0) throw new AggregateError(unhandled, 'Unhandled rejections');
  });
}
