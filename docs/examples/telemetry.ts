import { createRun, definePrompt, type Run } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { registerTelemetry, type Telemetry } from 'ai';
import * as z from 'zod';

const model = scriptedModel([
  [{ toolCall: { name: 'weather', input: { city: 'Faro' } } }],
  'Sunny: go to the beach.',
]);

// #region otel
// on a server: registerTelemetry(new OpenTelemetry()), from @ai-sdk/otel
const integration: Telemetry = {
  onLanguageModelCallEnd: ({ modelId, usage }) => console.log(modelId, usage.totalTokens !== undefined),
};
registerTelemetry(integration);

const planDay = definePrompt(
  'plan-day',
  (prompt, { city }) => {
    prompt.defTool('weather', 'Weather for a city', z.object({ city: z.string() }), () => 'sunny');
    prompt.$`Plan a day in ${city}.`;
  },
  { input: z.object({ city: z.string() }) },
);
const run = createRun(planDay, {
  model,
  options: { telemetry: { functionId: 'plan-day', recordInputs: false, recordOutputs: false } },
});
// #endregion

// #region events
/** Counts what a run does, and never what is said in it. */
function measure(watched: Run<never>, count: (name: string, value: number) => void): () => void {
  return watched.listen((event) => {
    if (event.type === 'step-end') count('tokens', event.usage.totalTokens ?? 0);
    if (event.type === 'tool-end') count('tool.ms', event.ms ?? 0);
    if (event.type === 'run-end') count(`run.${event.outcome}`, 1);
  });
}
const stopMeasuring = measure(run, (name, value) => console.log(name, value > 0));
// #endregion

await run.start({ city: 'Faro' });
stopMeasuring();
// prints: tokens true
// prints: run.done true
