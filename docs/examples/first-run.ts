import process from 'node:process';
import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

// A scripted model, so that this runs without a key. A real one is, for example, 'openai:gpt-4o'.
const model = scriptedModel([
  [{ toolCall: { name: 'getWeather', input: { city: 'Lisbon' } } }],
  [{ text: 'Sunny and 24 °C in Lisbon: take the tram to Belém.', chunkSize: 6 }],
]);

const { result, run } = await runPrompt(
  async (prompt) => {
    const user = prompt.def('USER_NAME', 'Ada');
    prompt.defTool(
      'getWeather',
      'Weather for a city',
      z.object({ city: z.string() }),
      async ({ city }) => `${city}: sunny, 24 °C`,
    );
    prompt.$`Help ${user} plan a day in Lisbon.`;
  },
  { model },
);

for await (const text of result.textStream) process.stdout.write(text);

console.log(
  `\n${run.getState().steps.length} steps, ${run.getState().toolCalls.length} tool call: ${run.getState().status}`,
);
// prints: Sunny and 24 °C in Lisbon: take the tram to Belém.
// prints: 2 steps, 1 tool call: done
