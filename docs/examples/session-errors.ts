import { runAgentSession } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';

// #region errors
const complete = { toolCall: { name: 'task_complete', input: { summary: 'Done after all.' } } };
const refused = { throw: { message: 'unknown field "foo"', status: 400 } };
const wrongKey = { throw: { message: 'wrong key', status: 401 } };

const models = { recovers: scriptedModel([[refused], [complete]]), ends: scriptedModel([[wrongKey]]) };
for (const [what, model] of Object.entries(models)) {
  const { completionReason, error, totalTurns } = await runAgentSession(model, {
    systemPrompt: 'You work.',
    llmTimeout: 60_000,
    toolTimeout: 30_000,
    callbacks: {
      onError: (_id, { phase, turn, error }) =>
        console.log(`${what}: ${phase}, turn ${turn}: ${error.message}`),
    },
  });
  console.log(`${what}: ${completionReason} after ${totalTurns} turns`, error?.message ?? '');
}
// #endregion
// prints: recovers: llm, turn 1: simulated.invalid did not accept the request (400): unknown field "foo"
// prints: recovers: task_complete after 2 turns
// prints: ends: error after 1 turns simulated.invalid refused the API key (401): wrong key.
