import { definePrompt } from '@cueline/core';
import { z } from 'zod';

// A prompt is a function. What it defines here becomes the request to the model.
export default definePrompt('weather', async (prompt) => {
  const city = prompt.def('CITY', 'Lisbon');

  prompt.defSystem('role', 'You are a friendly local. Answer in two sentences.');

  prompt.defTool(
    'getWeather',
    'Current weather for a city',
    z.object({
      city: z.string().describe('Name of the city'),
      unit: z.enum(['celsius', 'fahrenheit']).default('celsius'),
    }),
    async ({ city, unit }) => {
      await new Promise((resolve) => setTimeout(resolve, 400)); // a slow service
      const celsius = 24;
      const temperature = unit === 'celsius' ? celsius : (celsius * 9) / 5 + 32;
      return { city, temperature, unit, sky: 'sunny', wind: 'light sea breeze' };
    },
  );

  prompt.$`What should I wear for a walk in ${city} this afternoon?`;
});
