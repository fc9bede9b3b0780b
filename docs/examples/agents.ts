import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const model = scriptedModel([
  [
    { toolCall: { name: 'researcher', input: { question: 'How often does tram 28 run?' }, id: 'a' } },
    { toolCall: { name: 'translator', input: { text: 'Good morning', language: 'Portuguese' }, id: 'b' } },
  ],
  'Tram 28 runs every 11 minutes. Say "bom dia" to the driver.',
]);
const researcherModel = scriptedModel([
  [{ toolCall: { name: 'search', input: { query: 'tram 28 timetable' } } }],
  'Every 11 minutes.',
]);

const { run } = await runPrompt(
  (prompt) => {
    // #region agents
    prompt.defAgent(
      'researcher',
      'Looks something up',
      z.object({ question: z.string() }),
      ({ question }, prompt) => {
        prompt.defTool('search', 'Searches the web', z.object({ query: z.string() }), searchTheWeb);
        prompt.$`${question}`;
      },
      { model: researcherModel, system: 'Answer in one sentence.', temperature: 0 },
    );
    prompt.defAgent(
      'translator',
      'Translates a text',
      z.object({ text: z.string(), language: z.string() }),
      ({ text, language }, prompt) => prompt.$`Translate into ${language}: ${text}`,
      { model: scriptedModel(['Bom dia']) },
    );
    // #endregion
    prompt.$`How often does tram 28 run, and how do I greet its driver?`;
  },
  { model },
);

// #region state
const { agents, toolCalls } = await run.finished;
for (const { path, name, status, steps, text } of agents) {
  console.log(`${path} ${name}: ${status} after ${steps.length} steps, said "${text}"`);
}
console.log(toolCalls.map(({ output }) => output)); // what the run's own model was given
// #endregion

function searchTheWeb({ query }: { query: string }): string {
  return `1 result for "${query}": every 11 minutes, from 6 to 22`;
}
// prints: a researcher: done after 2 steps, said "Every 11 minutes."
// prints: b translator: done after 1 steps, said "Bom dia"
// prints: [ 'Every 11 minutes.', 'Bom dia' ]
