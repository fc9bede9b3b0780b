import { expect, test } from 'vitest';
import { matchCommand } from '../../src/layout/commands/match-command.ts';

const commands: readonly (readonly [string, string])[] = [
  ['Hide the inspector', 'Page'],
  ['A tool that fails', 'Examples The error goes to the model, which tries again.'],
  ['A plugin', 'Examples A set of definitions to share.'],
  ['Share the script…', 'Page'],
  ['Open the history', 'Page'],
  ['Weather', 'Earlier runs Today · Demo model'],
];

/** The labels that a search finds, the best first. */
const found = (search: string): string[] =>
  commands
    .map(([label, details]) => ({ label, score: matchCommand(search, label, details) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ label }) => label);

test.each([
  ['histor', ['Open the history']],
  ['share', ['Share the script…', 'A plugin']],
  ['weather earlier', ['Weather']],
  ['ool fai', ['A tool that fails']],
  ['THE SCRIPT', ['Share the script…']],
  ['hdr', []],
])('“%s” finds whole parts of words, the best match first', (search, labels) => {
  expect(found(search)).toEqual(labels);
});
