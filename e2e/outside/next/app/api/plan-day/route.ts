import { createPromptRoute } from '@cueline/edge';
import { planDay } from '../../../prompts/plan-day';

const route = createPromptRoute(planDay, {
  model: 'simulated:demo',
  origins: ['http://localhost:3000'],
  auth: async () => ({ subject: 'ada' }),
});

export { route as GET, route as POST, route as DELETE, route as OPTIONS };
