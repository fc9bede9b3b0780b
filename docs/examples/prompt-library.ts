import { CuelineError, runPrompt } from '@cueline/core';
import { createPromptLibrary } from '@cueline/core/library';
import { scriptedModel } from '@cueline/core/testing';

const model = scriptedModel(['{ "plan": ["Take the tram to Belém."] }']);

// #region run
const library = await createPromptLibrary(new URL('prompts/travel.json', import.meta.url));

const planDay = library.definePrompt('plan-day@^1', { model }); // in its place: 'openai:gpt-4o'
const { run } = await runPrompt(planDay, { input: { CITY: 'Lisbon' } });
console.log((await run.finished).text);
// #endregion
console.log(JSON.stringify(run.log()[0]).includes('"version":"1.1.0"'));

// #region expand
const prompt = library.get('plan-day', '^1');
console.log(library.expandSystem(prompt));
console.log(library.expandUser(prompt, { CITY: 'Lisbon', PEOPLE: 4 }));
// #endregion

// #region fault
try {
  library.expandUser('plan-day@^1', { CITTY: 'Lisbon' });
} catch (error) {
  if (CuelineError.isInstance(error)) console.log(error.code, error.message);
}
// #endregion
// prints: { "plan": ["Take the tram to Belém."] }
// prints: true
// prints: You are a cheerful travel guide.
// prints: Plan a day in Lisbon for 4. Answer as JSON: { "plan": [] }
// prints: invalid_parameter The parameters of prompt "plan-day" 1.1.0 are invalid. CITTY is unknown. Write CITY. CITY is missing. Pass a string: The city.
