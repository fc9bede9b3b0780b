import type { ScriptedTurn } from '@cueline/core/testing';
import failingTool from './failing-tool.ts?raw';
import invoice from './invoice.ts?raw';
import researchNotes from './research-notes.ts?raw';
import tripPlanner from './trip-planner.ts?raw';
import { scriptedTurns } from './turns.ts';
import weather from './weather.ts?raw';

export type Example = { id: string; title: string; description: string; source: string };

/** The scripts of the gallery; the first is what a new visitor finds in the editor. */
export const examples: readonly Example[] = [
  {
    id: 'weather',
    title: 'Weather',
    description: 'One tool, one question: the smallest agent.',
    source: weather,
  },
  {
    id: 'trip-planner',
    title: 'Trip planner',
    description: 'Variables, data and three tools in four steps.',
    source: tripPlanner,
  },
  {
    id: 'research-notes',
    title: 'Research notes',
    description: 'Thinks first, then searches, reads and cites.',
    source: researchNotes,
  },
  {
    id: 'invoice',
    title: 'Letter to invoice',
    description: 'A strict schema turns a letter into data.',
    source: invoice,
  },
  {
    id: 'failing-tool',
    title: 'A tool that fails',
    description: 'The model is told, and finds another way.',
    source: failingTool,
  },
];

function exampleOf(script: string): Example | undefined {
  const text = script.trim();
  return examples.find(({ source }) => source.trim() === text);
}

/** True for a script that is an example as it came. */
export function isUnedited(script: string): boolean {
  return exampleOf(script) !== undefined;
}

/** The scripted answers to an unedited example; undefined for any other script, which the rule-based demo answers. */
export function turnsFor(script: string): readonly ScriptedTurn[] | undefined {
  const example = exampleOf(script);
  return example === undefined ? undefined : scriptedTurns[example.id];
}
