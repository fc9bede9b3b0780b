import type { Hook, Prompt } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import * as z from 'zod';
import { call, play } from '../support.ts';

/** A call of the tool that answers with its number. */
export const look = (n: number) => call('look', { n });

/** A run with these hooks and two tools, of which `look` answers with its number. */
export function hooked(
  hooks: readonly Hook[],
  turns: readonly ScriptedTurn[] = [[look(1)], 'Done.'],
  config: Parameters<typeof play>[2] = {},
  more: (prompt: Prompt) => void = () => {},
) {
  return play(
    (prompt) => {
      prompt.defSystem('role', 'Helper.');
      prompt.defTool('look', '', z.object({ n: z.number() }), ({ n }) => `seen ${n}`);
      prompt.defTool('touch', '', z.object({}), () => 'felt');
      prompt.$`Go.`;
      more(prompt);
      for (const hook of hooks) prompt.defHook(hook);
    },
    turns,
    config,
  );
}
