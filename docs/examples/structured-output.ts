import { createRun, definePrompt, tool } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

// #region define
const distance = tool('distance', 'Kilometres to a city', z.object({ city: z.string() }), ({ city }) => {
  return city === 'Faro' ? 280 : 0;
});
const planTrip = definePrompt(
  'plan-trip',
  (prompt, { days }) => {
    prompt.$`Plan a trip of ${days} days from Lisbon.`;
  },
  {
    input: z.object({ days: z.number() }),
    output: z.object({ city: z.string(), km: z.number() }),
    tools: [distance],
  },
);
// #endregion

const model = scriptedModel([
  [{ toolCall: { name: 'distance', input: { city: 'Faro' } } }],
  '{"city":"Faro","km":"280"}',
  '{"city":"Faro","km":280}',
]);

// #region run
const run = createRun(planTrip, { model });
run.subscribe(({ object, toolCalls }) => console.log(object?.city, toolCalls[0]?.output)); // while it arrives

const trip = await run.start({ days: 3 }); // { city: string; km: number }
console.log(trip.city, trip.km * 2);
// #endregion
console.log(run.getState().steps.length);
// prints: Faro 560
// prints: 3
