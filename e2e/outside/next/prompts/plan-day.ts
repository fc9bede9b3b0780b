import { definePrompt } from '@cueline/core';
import * as z from 'zod';

export const planDay = definePrompt(
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
