import { createRun, definePrompt, runPrompt, viaRoute } from '@cueline/core';
import { resolveModel } from '@cueline/core/models';
import { scriptedModel } from '@cueline/core/testing';
import { createPromptRoute } from '@cueline/edge';
import * as z from 'zod';

const model = scriptedModel([
  [{ toolCall: { name: 'getWeather', input: { city: 'Lisbon' } } }],
  [{ text: 'Take the tram to Belém.' }],
]);
const { result } = await runPrompt(
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

const greet = definePrompt(
  'greet',
  (prompt, { name }) => {
    prompt.$`Greet ${name}.`;
  },
  { input: z.object({ name: z.string() }) },
);
const route = createPromptRoute(greet, {
  model: scriptedModel(['Hello Ada!']),
  origins: ['https://app.example'],
  auth: async () => ({ subject: 'ada' }),
});
const executor = viaRoute('https://app.example/greet', { fetch: route });
console.log(await createRun(greet, { executor }).start({ name: 'Ada' }));

const refused = await resolveModel('anthropic:claude', { env: { ANTHROPIC_API_KEY: 'no-key' } }).catch(
  (error: Error) => error.message,
);
console.log(refused);
