import { dryRun, runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { call } from '../support.ts';

/** The text that each definition makes, by its name. */
function texts({ instructions, instructionParts = [] }: Awaited<ReturnType<typeof dryRun>>['request']) {
  return instructionParts.map(({ kind, name, start, end }) => [kind, name, instructions.slice(start, end)]);
}

test('a request says which part of the system prompt comes from each definition', async () => {
  const { request } = await dryRun(
    (prompt) => {
      prompt.def('CITY', 'Faro');
      prompt.defSystem('role', 'You plan days.');
      prompt.$`Plan my day.`;
    },
    { options: { system: 'Be short.' } },
  );
  expect(texts(request)).toEqual([
    ['variable', 'CITY', '<CITY>Faro</CITY>'],
    ['system', 'role', 'role:\nYou plan days.'],
  ]);
});

test('a hook that replaces the system prompt leaves no parts', async () => {
  const { request } = await dryRun((prompt) => {
    prompt.defSystem('role', 'You plan days.');
    prompt.defHook(() => ({ system: 'Something else.' }));
    prompt.$`Plan my day.`;
  });
  expect(request.instructions).toBe('Something else.');
  expect(request.instructionParts).toBeUndefined();
});

test('the log has the parts, and a step with another system prompt has its own parts', async () => {
  const model = scriptedModel([[call('look')], 'Done.']);
  const { run } = await runPrompt(
    (prompt) => {
      prompt.def('COUNT', 'none');
      prompt.defTool('look', 'Looks', z.object({}), () => {
        prompt.def('COUNT', 'seven');
        return 'seen';
      });
      prompt.$`Look.`;
    },
    { model },
  );
  const { steps } = await run.finished;
  expect(steps.map(({ request }) => texts(request))).toEqual([
    [['variable', 'COUNT', '<COUNT>none</COUNT>']],
    [['variable', 'COUNT', '<COUNT>seven</COUNT>']],
  ]);
});

test('a request names at most 1,000 parts', async () => {
  const { request, tokens } = await dryRun((prompt) => {
    for (let index = 0; index < 1_200; index += 1) prompt.def(`V${index}`, 'value');
    prompt.$`Go on.`;
  });
  expect(request.instructionParts).toHaveLength(1_000);
  expect(request.instructionParts?.at(-1)?.name).toBe('V999');
  // what no part names still counts
  expect(tokens.total * 4).toBeGreaterThanOrEqual(request.instructions.length);
});
