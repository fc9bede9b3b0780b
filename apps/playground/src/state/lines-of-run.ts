import { diffArrays } from 'diff';
import type { DefinitionLine } from '../sandbox/script/definition.ts';
import {
  findDefinitions,
  type FoundDefinition,
  type FoundDefinitions,
} from '../sandbox/script/find-definitions.ts';

/** With more changed lines than this, the script counts as a different one. */
const MAX_CHANGES = 400;

/**
 * The lines of the script that ran. `made` has the lines that its run reported, and is used if there are any. A run
 * from a link or from storage has only the script's text, and so has an agent whose steps a fork has kept.
 */
export function linesOfRun(script: string, made: readonly DefinitionLine[]): FoundDefinitions {
  const found = findDefinitions(script);
  if (made.length === 0) return found;
  const extents = new Map(found.definitions.map((one) => [`${one.of} ${one.line}`, one.lastLine]));
  const agents = new Set(made.map(({ agent }) => agent));
  const others = found.definitions.filter(
    ({ isSetting, agent }) => isSetting || (agent !== undefined && !agents.has(agent)),
  );
  const definitions: FoundDefinition[] = made.map((one) => ({
    ...one,
    lastLine: extents.get(`${one.of} ${one.line}`) ?? one.line,
  }));
  return { ...found, definitions: [...others, ...definitions].toSorted((a, b) => a.line - b.line) };
}

/** The same lines in a later text of the script, without those that have changed. */
export function moveLines(lines: FoundDefinitions, from: string, to: string): FoundDefinitions {
  if (from === to) return lines;
  const moved = unchangedLines(from, to);
  const definitions = lines.definitions.flatMap((one) => {
    const line = moved.get(one.line);
    return line === undefined ? [] : [{ ...one, line, lastLine: moved.get(one.lastLine) ?? line }];
  });
  const promptLine = lines.promptLine === undefined ? undefined : moved.get(lines.promptLine);
  return { definitions, ...(promptLine === undefined ? {} : { promptLine }) };
}

/** The same line in a later text of the script; undefined if it has changed. */
export function moveLine(line: number, from: string, to: string): number | undefined {
  return from === to ? line : unchangedLines(from, to).get(line);
}

/** The line of each unchanged line of `from` in `to`. */
function unchangedLines(from: string, to: string): Map<number, number> {
  const moved = new Map<number, number>();
  const changes = diffArrays(from.split(/\r?\n/), to.split(/\r?\n/), { maxEditLength: MAX_CHANGES });
  let [before, after] = [1, 1];
  for (const { added, removed, count } of changes ?? []) {
    const unchanged = added || removed ? 0 : count;
    for (let index = 0; index < unchanged; index += 1) moved.set(before + index, after + index);
    if (!added) before += count;
    if (!removed) after += count;
  }
  return moved;
}
