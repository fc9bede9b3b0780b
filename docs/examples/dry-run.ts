import { definePrompt, dryRun, runPrompt } from '@cueline/core';
import { explain } from '@cueline/core/inspect';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

// #region explain
const planDay = definePrompt(
  'plan-day',
  (prompt, { city }) => {
    prompt.defSystem('role', 'You plan days out.');
    prompt.defTool('getWeather', 'Weather for a city', z.object({ city: z.string() }), () => 'sunny');
    prompt.defTool('book', 'Books a table', z.object({ place: z.string() }), () => 'booked');
    prompt.defHook(({ stepNumber }) => (stepNumber === 0 ? { activeTools: ['getWeather'] } : {}));
    prompt.$`Plan a day in ${prompt.def('CITY', city)}.`;
  },
  { input: z.object({ city: z.string() }) },
);

console.log(explain(await dryRun(planDay, { input: { city: 'Faro' } })));
// #endregion

// #region step
const { request, tokens, warnings } = await dryRun(planDay, { input: { city: 'Faro' }, step: 1 });
console.log(request.tools.map(({ name }) => name)); // [ 'getWeather', 'book' ]
console.log(tokens.parts.find(({ name }) => name === 'book')?.tokens, warnings.length);
// #endregion

// #region sent
const { run } = await runPrompt(planDay, {
  model: scriptedModel(['Go to the beach.']),
  input: { city: 'Faro' },
});
for (const step of (await run.finished).steps) console.log(explain(step.request));
// #endregion
// prints:   <CITY>Faro</CITY>
// prints:   You plan days out.
// prints:     Plan a day in <CITY>.
// prints:   getWeather
// prints:     city:  string
// prints:   variable      CITY           5
// prints:   system        role           6
// prints:   instructions  instructions  24
// prints:   message       messages[0]    6
// prints:   tool          getWeather    47
// prints:   total                       88
// prints: [ 'getWeather', 'book' ]
// prints: 45 0
// prints: simulated:scripted
