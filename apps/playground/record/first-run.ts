import { writeFileSync } from 'node:fs';
// Records the run that a first visitor sees: the example "Weather", with its scripted answers at their original pace.
// Run: pnpm --filter @cueline/playground record
import { runPrompt, type RunEvent } from '@cueline/core';
import { scriptedPace } from '../src/examples/scripted-answer.ts';
import { scriptedAnswers } from '../src/examples/scripted-answers.ts';
import weather from '../src/examples/weather.ts';
import { scriptedModelOf } from '../src/model/scripted-model.ts';

const { run } = await runPrompt(weather, {
  model: scriptedModelOf(scriptedAnswers['weather'] ?? [], scriptedPace),
});
await run.finished;
const log = run.log().map((event): RunEvent => ({ ...event, t: Math.round(event.t) }));
const file = new URL('../src/examples/first-run.json', import.meta.url);
writeFileSync(file, `[\n${log.map((event) => `  ${JSON.stringify(event)}`).join(',\n')}\n]\n`);
