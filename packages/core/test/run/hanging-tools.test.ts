import { createRun, definePrompt, inProcess } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';

test('eight tools that never return keep no other tool from running', async () => {
  let looked = 0;
  const definition = definePrompt('look', (prompt) => {
    prompt.defTool('hang', '', z.object({ n: z.number() }), () => new Promise(() => {}));
    prompt.defTool('look', '', z.object({}), () => (looked += 1));
    prompt.$`Look.`;
  });
  const hanging = Array.from({ length: 8 }, (_none, n) => ({ toolCall: { name: 'hang', input: { n } } }));
  const model = scriptedModel([[...hanging, { toolCall: { name: 'look' } }], 'Done.']);
  const run = createRun(definition, {
    model,
    executor: inProcess(),
    options: { timeout: { toolMs: 100 } },
  });
  expect(await run.start()).toBe('Done.');
  expect(looked).toBe(1);
  const { toolCalls } = run.getState();
  expect(toolCalls.map(({ toolName, state }) => [toolName, state])).toEqual([
    ...hanging.map(() => ['hang', 'output-error']),
    ['look', 'output-available'],
  ]);
});
