import { CuelineError } from '@cueline/core';
import { defineAgent, tags, type CallErrorDetails } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';

const clerk = defineAgent({ name: 'clerk', instructions: 'You answer.', output: tags(['answer']) });
const small = scriptedModel(['5', '5!', '5?', 'Five.']);
const large = scriptedModel(['<answer>5</answer>']);

// #region error
try {
  await clerk.call('How many nails are left?', { model: small });
} catch (error) {
  if (!CuelineError.isInstance(error) || error.code !== 'parse_failed') throw error;
  const { state, event, attempts, dialog } = error.details as CallErrorDetails;
  console.log(`${state} × ${event} after ${attempts} answers`);

  const { output } = await clerk.call('Please answer.', { model: large, dialog });
  console.log(output.answer);
}
// #endregion
// prints: correcting × unreadable after 4 answers
// prints: 5
