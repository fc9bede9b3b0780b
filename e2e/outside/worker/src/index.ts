import { definePrompt } from '@cueline/core';
import { createModelProxy, createPromptRoute } from '@cueline/edge';
import { z } from 'zod';

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

type Env = { OPENAI_API_KEY: string };

const shared = {
  origins: ['https://app.example'],
  auth: async () => ({ subject: 'ada' }),
};

const route = createPromptRoute(planDay, {
  ...shared,
  model: 'openai:gpt-4o-mini',
  models: (env) => ({ env }),
});

const proxy = createModelProxy({
  ...shared,
  providers: { openai: { models: ['gpt-4o-mini'] } },
});

export default {
  fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    return (pathname.startsWith('/models') ? proxy : route)(request, env, context);
  },
} satisfies ExportedHandler<Env>;
