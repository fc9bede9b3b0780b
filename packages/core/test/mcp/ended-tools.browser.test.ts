import type { ToolContext } from '@cueline/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { play } from '../support.ts';

// in a page, promises settle between two listeners of a signal that the browser itself aborts
test('a tool that exceeded its time limit is reported as such, whatever it returns when it is aborted', async () => {
  const { run } = await play(
    (prompt) => {
      const fails = (_args: unknown, { abortSignal }: ToolContext): Promise<never> =>
        new Promise((_resolve, reject) =>
          abortSignal?.addEventListener('abort', () => reject(new Error('Request was aborted'))),
        );
      prompt.defTool('ask', 'Asks', z.object({}), fails);
      prompt.$`Ask.`;
    },
    [[{ toolCall: { name: 'ask' } }], 'Done.'],
    { options: { timeout: { toolMs: 10 } } },
  );
  const [toolCall] = (await run.finished).toolCalls;
  expect(toolCall?.errorText).toBe('ask took longer than 10 ms, so it was ended.');
});
