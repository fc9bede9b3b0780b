import { definePrompt, runPrompt } from '@cueline/core';
import { estimateTokens } from '@cueline/core/inspect';
import { demoModel, scriptedModel } from '@cueline/core/testing';
import { Output } from 'ai';
import { expect, test } from 'vitest';
import * as z from 'zod';

const answer = z.object({ city: z.string(), advice: z.string().describe('What to wear, in one sentence') });
const weather = definePrompt('weather', (prompt) => {
  prompt.def('CITY', 'Lisbon');
  prompt.defSystem('role', 'You are a friendly local.');
  prompt.defTool('getWeather', 'Weather for a city', z.object({ city: z.string() }), ({ city }) => ({
    city,
    temperature: 21,
  }));
  prompt.$`What should I wear in <CITY>?`;
});

test.for([
  ['rules', () => demoModel({ pace: 0 })],
  [
    'a script',
    () =>
      scriptedModel([
        [{ toolCall: { name: 'getWeather', input: { city: 'Lisbon' } } }],
        JSON.stringify({ city: 'Lisbon', advice: 'A shirt.' }),
      ]),
  ],
] as const)('an answer by %s counts the whole request, as the estimate does', async ([, newModel]) => {
  const { run } = await runPrompt(weather, {
    model: newModel(),
    options: { output: Output.object({ schema: answer }) },
  });
  const { steps } = await run.finished;
  expect(steps.length).toBeGreaterThan(1);
  for (const { request, usage } of steps) {
    const { total, parts } = estimateTokens(request);
    expect(parts.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['tool', 'output']));
    // the estimate rounds up each definition of the system prompt
    expect(usage?.inputTokens).toBeLessThanOrEqual(total);
    expect(usage?.inputTokens).toBeGreaterThan(total - 5);
  }
});
