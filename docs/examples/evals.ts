import assert from 'node:assert/strict';
import { definePrompt, runPrompt } from '@cueline/core';
import { caseFromRun, defineEval, runEval } from '@cueline/core/evals';
import { createCassette, scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

// #region recorded
const capital = definePrompt('capital', (prompt, { of }) => prompt.$`The capital of ${of}?`, {
  input: z.object({ of: z.string() }),
});
const model = scriptedModel(['Oslo', 'Oslo', 'Lisbon']);

const { run } = await runPrompt(capital, { input: { of: 'Norway' }, model });
await run.finished;

const capitals = defineEval({
  prompt: capital,
  cases: [
    caseFromRun(run.log(), { id: 'norway' }), // expects the answer of the run
    { id: 'portugal', input: { of: 'Portugal' }, expect: 'Lisbon' },
  ],
});
// #endregion

// #region run
const report = await runEval(capitals, {
  models: model,
  concurrency: 1,
  onResult: ({ caseId, status }, { done, total }) => console.log(`${done}/${total} ${caseId}: ${status}`),
});
const [group] = report.groups;
console.log(report.passed, group?.passRate, group?.interval);
// #endregion
// prints: 2/2 portugal: passed
assert.equal(report.passed, true);

const oslo = scriptedModel(['Oslo']); // in its place: 'openai:gpt-4o'

// #region cassette
const cassette = createCassette({ mode: 'record' });
const recorded = cassette.model(oslo);
const first = await runPrompt(capital, { input: { of: 'Norway' }, model: recorded });
await first.run.finished;
const data = JSON.stringify(cassette); // requests and answers, without keys

const replayed = createCassette({ data: JSON.parse(data) });
const second = await runPrompt(capital, { input: { of: 'Norway' }, model: replayed.model(oslo) });
// #endregion
console.log((await second.run.finished).text);
// prints: Oslo
