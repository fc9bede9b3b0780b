import { definePrompt, runPrompt, type RunEvent } from '@cueline/core';
import { caseFromRun, defineEval, runEval } from '@cueline/core/evals';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';

const capital = definePrompt('capital', (prompt, { of }) => prompt.$`The capital of ${of}?`, {
  input: z.object({ of: z.string() }),
});

async function logOf(
  answer: Parameters<typeof scriptedModel>[0][number],
  definition = capital,
): Promise<readonly RunEvent[]> {
  const { run } = await runPrompt(definition, {
    input: { of: 'Norway' },
    model: scriptedModel([answer]),
    options: { maxRetries: 0 },
  });
  await run.finished;
  return run.log();
}

test('a recorded run becomes a case with its input and its answer', async () => {
  const log = await logOf('Oslo');
  const one = caseFromRun(JSON.parse(JSON.stringify(log)) as RunEvent[], {
    id: 'norway',
    tags: ['recorded'],
  });
  expect(one).toEqual({ id: 'norway', input: { of: 'Norway' }, expect: 'Oslo', tags: ['recorded'] });
  const evaluation = defineEval({ prompt: capital, cases: [one as never] });
  expect((await runEval(evaluation, { models: scriptedModel(['Oslo']) })).passed).toBe(true);
  expect((await runEval(evaluation, { models: scriptedModel(['Bergen']) })).passed).toBe(false);
});

test('the expectation is the object if the prompt has an output schema', async () => {
  const structured = { ...capital, output: z.object({ city: z.string() }) };
  expect(caseFromRun(await logOf('{"city":"Oslo"}', structured as never)).expect).toEqual({ city: 'Oslo' });
});

test('a failed run becomes a case if the expected answer is given', async () => {
  const log = await logOf([{ throw: { message: 'no credit left', status: 402 } }]);
  expect(() => caseFromRun(log)).toThrow(
    "has no answer: its status is error. Pass the expected answer: caseFromRun(log, { expect: '…' })",
  );
  expect(caseFromRun(log, { expect: 'Oslo' })).toMatchObject({ input: { of: 'Norway' }, expect: 'Oslo' });
});

test('a log without a start is refused', () => {
  expect(() => caseFromRun([])).toThrow('Pass run.log()');
});
