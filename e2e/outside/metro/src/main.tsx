import { runPrompt } from '@cueline/core';
import { resolveModel } from '@cueline/core/models';
import { scriptedModel } from '@cueline/core/testing';
import { PromptProvider, usePrompt } from '@cueline/react';
import { z } from 'zod';

/** What an app would show: it is bundled, and nothing here draws it. */
export function Planner() {
  const plan = usePrompt((prompt) => {
    prompt.$`Plan a day in Lisbon.`;
  });
  return <PromptProvider model="simulated:demo">{plan.text}</PromptProvider>;
}

async function main() {
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
        ({ city }) => `${city}: sunny`,
      );
      prompt.$`Plan a day in Lisbon.`;
    },
    { model },
  );
  console.log(await result.text);
  const refused = await resolveModel('anthropic:claude', { env: { ANTHROPIC_API_KEY: 'no-key' } }).catch(
    (error: Error) => error.message,
  );
  console.log(refused);
}

void main();
