import { definePrompt, tool } from '@cueline/core';
import * as z from 'zod';

const weather = [
  tool('today', 'Weather of today', z.object({ city: z.string() }), ({ city }) => `${city}: sunny`),
];

export const planDay = definePrompt(
  'plan-day',
  (prompt, { city }) => {
    prompt.defTool('weather', 'Weather for a city', weather);
    prompt.$`Plan a day in ${city}.`;
  },
  { input: z.object({ city: z.string() }) },
);
