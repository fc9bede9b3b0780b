import { definePrompt, runPrompt } from '@cueline/core';
import { defineAgent, tags } from '@cueline/core/agents';
import { agents } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const model = scriptedModel([
  [{ toolCall: { name: 'find', input: { about: 'tides' } } }],
  'The moon pulls.', // the finder, without its tags
  '<fact>The moon pulls.</fact>',
  'There are tides because the moon pulls.',
]);

// #region register
agents.register(
  defineAgent({ name: 'finder', instructions: 'You find facts.', output: tags(['fact']) }), // the run's model
);
// #endregion

// #region inside
const writer = definePrompt(
  'writer',
  (prompt, topic) => {
    prompt.defTool('find', 'Finds a fact', z.object({ about: z.string() }), async ({ about }, context) => {
      const { output } = await agents.get('finder').call(about, { context });
      return output;
    });
    prompt.$`Write a sentence about ${topic}.`;
  },
  { input: z.string() },
);

const { run } = await runPrompt(writer, { model, input: 'tides' });
const { text, agents: inside } = await run.finished;
console.log(text);
for (const { path, name, status, steps } of inside) console.log(path, name, status, steps.length);
// #endregion
// prints: There are tides because the moon pulls.
// prints: call-0-0 finder done 2
