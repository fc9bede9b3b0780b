import { definePrompt } from '@cueline/core';
import { createPromptRoute } from '@cueline/edge';
import * as z from 'zod';

// an app with this has no cacheComponents in its next.config.ts: Next refuses the two together
export const runtime = 'edge';

const planDay = definePrompt(
  'plan-day',
  (prompt, { city }) => {
    prompt.defTool(
      'getWeather',
      'Weather for a city',
      z.object({ city: z.string() }),
      ({ city }) => `${city}: sunny`,
    );
    prompt.$`Plan a day in ${city}.`;
  },
  { input: z.object({ city: z.string() }) },
);

// Everybody is one person here: before you deploy, return who your sign-in says is asking, and null for a stranger.
async function currentUser(): Promise<{ subject: string } | null> {
  return { subject: 'everybody' };
}

const route = createPromptRoute(planDay, {
  model: 'simulated:demo',
  origins: ['http://localhost:3000'],
  auth: currentUser,
});

export { route as GET, route as POST, route as DELETE, route as OPTIONS };
