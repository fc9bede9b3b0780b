import { CuelineError, definePrompt, runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

// #region define
const planStay = definePrompt(
  'plan-stay',
  (prompt, { city, days }) => {
    prompt.$`Plan ${days} days in ${city}.`;
  },
  { input: z.object({ city: z.string(), days: z.int().max(14).default(1) }) },
);
// #endregion

// A scripted model, so that this runs without a key.
const model = scriptedModel(['Take the tram to Belém.']);

const { result } = await runPrompt(planStay, { model, input: { city: 'Lisbon' } });
console.log(await result.text);
// prints: Take the tram to Belém.

// What comes from a form or a request is not typed, and is checked all the same.
const fromRequest = JSON.parse('{ "city": "Lisbon", "days": 300 }');
await runPrompt(planStay, { model, input: fromRequest }).catch((error: unknown) => {
  if (CuelineError.isInstance(error)) console.log(error.code, error.details?.['issues']);
});
// prints: invalid_input [
// prints:   {
// prints:     path: 'input.days',
// prints:     message: 'Too big: expected number to be <=14'
// prints:   }
// prints: ]
