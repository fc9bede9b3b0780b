import { runPrompt, type PromptDefinition } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import failingTool from '../../src/examples/failing-tool.ts';
import { examples, isUnedited, turnsFor } from '../../src/examples/index.ts';
import invoice from '../../src/examples/invoice.ts';
import researchNotes from '../../src/examples/research-notes.ts';
import tripPlanner from '../../src/examples/trip-planner.ts';
import { scriptedTurns } from '../../src/examples/turns.ts';
import weather from '../../src/examples/weather.ts';

const definitions: Record<string, PromptDefinition> = {
  weather,
  'trip-planner': tripPlanner,
  'research-notes': researchNotes,
  invoice,
  'failing-tool': failingTool,
};

test.each(examples.map(({ id }) => id))('the scripted answers fit the tools of %s', async (id) => {
  const turns = scriptedTurns[id]!;
  const { run } = await runPrompt(definitions[id]!, { model: scriptedModel(turns) });
  const state = await run.finished;
  expect(state.status).toBe('done');
  expect(state.steps).toHaveLength(turns.length);
  expect(state.text).not.toBe('');
  // The one failure is the one that the example is about.
  const failed = state.toolCalls.filter((call) => call.state !== 'output-available');
  expect(failed.map((call) => call.errorText)).toEqual(
    id === 'failing-tool' ? [expect.stringContaining('The till has locked the list')] : [],
  );
});

test('an edited example loses its scripted answers', () => {
  const { source } = examples[0]!;
  expect(turnsFor(source)).toBe(scriptedTurns['weather']);
  expect(turnsFor(`\n${source}\n`)).toBe(scriptedTurns['weather']);
  expect(turnsFor(source.replace('Lisbon', 'Oslo'))).toBeUndefined();
  expect(isUnedited(source.replace('Lisbon', 'Oslo'))).toBe(false);
});

test('each example is one script with a default export and a line about it', () => {
  expect(new Set(examples.map(({ id }) => id)).size).toBe(5);
  for (const { source, description } of examples) {
    expect(source).toContain('export default definePrompt(');
    expect(description.length).toBeLessThan(60);
  }
});
