import { type Prompt, type PromptConfig, type PromptSource } from '@cueline/core';
import { type ScriptedTurn } from '@cueline/core/testing';
import * as z from 'zod';
import { play } from '../support.ts';
import { after } from './runs.ts';

export type Given = NonNullable<NonNullable<PromptConfig['options']>['limits']>;

export const numbered = z.object({ n: z.number() });

/** A tool that does something for a while, and how many of its calls were in progress at once. */
export function busyTool(ms = 5): { define: (prompt: Prompt) => void; made: number[]; most: () => number } {
  const made: number[] = [];
  let running = 0;
  let most = 0;
  return {
    made,
    most: () => most,
    define: (prompt) =>
      prompt.defTool('count', '', numbered, async ({ n }) => {
        made.push(n);
        running += 1;
        most = Math.max(most, running);
        await after(ms);
        running -= 1;
        return n;
      }),
  };
}

export async function counted(turns: readonly ScriptedTurn[], limits?: Given) {
  const tool = busyTool();
  const source: PromptSource = (prompt) => {
    tool.define(prompt);
    prompt.$`Count.`;
  };
  const played = await play(source, turns, { options: { limits } });
  return { ...played, made: tool.made, most: tool.most(), state: played.run.getState() };
}
