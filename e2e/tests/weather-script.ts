export const script = (city: string) => `import { definePrompt } from '@cueline/core';
import { z } from 'zod';

export default definePrompt('weather', async (prompt) => {
  prompt.defTool('getWeather', 'Weather for a city', z.object({ city: z.string() }), async ({ city }) => {
    return { city, sky: 'drizzle' };
  });
  prompt.$\`What is the weather in ${city}?\`;
});
`;
