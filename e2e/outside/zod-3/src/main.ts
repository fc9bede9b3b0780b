import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { z } from 'zod';

const model = scriptedModel([
  [{ toolCall: { name: 'getWeather', input: { city: 'Lisbon' } } }],
  [{ text: 'Take the tram to Belém.' }],
]);
const { result, run } = await runPrompt(
  (prompt) => {
    prompt.defTool(
      'getWeather',
      'Weather for a city',
      z.object({ city: z.string() }),
      ({ city }) => `${city.toUpperCase()}: sunny`,
    );
    prompt.$`Plan a day in Lisbon.`;
  },
  { model },
);
console.log(await result.text);
console.log(run.getState().toolCalls[0]?.output);
