import { createRun, definePrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const planDay = definePrompt(
  'plan-day',
  (prompt, { city }) => {
    prompt.$`Plan a day in ${city}.`;
  },
  { input: z.object({ city: z.string() }) },
);
const model = scriptedModel(['Faro by boat.', 'Beja on foot.', 'Lisbon by tram.', 'And fado at night.']);

// #region start
const run = createRun(planDay, { model });
run.subscribe((state) => console.log(state.status, state.text)); // at most once a frame

const faro = run.start({ city: 'Faro' }, { key: 'first' });
const same = run.start({ city: 'Faro' }, { key: 'first' }); // not a second start: the same promise
const beja = run.start({ city: 'Beja' }, { whenBusy: 'queue' });
console.log(same === faro, run.getState().queued);
console.log(await faro, await beja);
// #endregion

// #region send
await run.start({ city: 'Lisbon' });
console.log(await run.send('And in the evening?'));
console.log(run.getState().messages.length);
// #endregion
// prints: true 1
// prints: Faro by boat. Beja on foot.
// prints: And fado at night.
// prints: 4
