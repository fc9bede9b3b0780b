import { definePrompt } from '@cueline/core';
import { z } from 'zod';

const places = [
  { name: 'Livraria Lello', kind: 'culture', minutes: 60, euros: 8 },
  { name: 'Serralves park', kind: 'nature', minutes: 120, euros: 12 },
  { name: 'Port cellars in Gaia', kind: 'food', minutes: 90, euros: 22 },
  { name: 'Ribeira riverside', kind: 'nature', minutes: 75, euros: 0 },
] as const;

export default definePrompt('trip planner', async (prompt) => {
  const traveller = prompt.def('TRAVELLER', 'Ada');
  const wishes = prompt.defData('WISHES', {
    city: 'Porto',
    likes: ['nature', 'food'],
    budget: { euros: 50 },
    lunchAt: '13:00',
  });

  prompt.defSystem('role', 'You plan calm days. Never promise more than fits.');
  prompt.defSystem('format', 'A short heading, a list of times, the total cost.');

  prompt.defTool(
    'findPlaces',
    'Places to see in a city, by what the traveller likes',
    z.object({ city: z.string(), kind: z.enum(['culture', 'nature', 'food']) }),
    async ({ kind }) => places.filter((place) => place.kind === kind),
  );

  prompt.defTool(
    'checkOpeningHours',
    'When a place is open on a day',
    z.object({ place: z.string(), date: z.iso.date() }),
    async ({ place, date }) => ({ place, date, opens: '10:00', closes: '19:00' }),
  );

  prompt.defTool(
    'addUp',
    'Adds up costs in euros and compares them with a budget',
    z.object({ costs: z.array(z.number().nonnegative()).min(1), budget: z.number().positive() }),
    async ({ costs, budget }) => {
      const total = costs.reduce((sum, cost) => sum + cost, 0);
      return { total, left: budget - total, withinBudget: total <= budget };
    },
  );

  prompt.$`
    Plan Saturday for ${traveller} along ${wishes}.
    Look up places for each of the likes, check that they are open
    on 2026-05-16, and keep to the budget.
  `;
});
