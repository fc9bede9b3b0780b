import { createPromptRoute } from '@cueline/edge';
import { planDay } from '../../../prompts/plan-day';

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
