import type { FoundTag } from './read-tags.ts';

/** A line that begins or ends a code block: indentation, fence, and the rest. */
const FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/;

/** A code block whose lines are being read. */
type Open = { name: string; fence: string; indent: number; lines: string[]; inside: number };

/**
 * Finds the code blocks of a Markdown text that begin with one of these names, such as ```` ```json ````. Ignores
 * case, and blocks of other kinds around them. A block inside one of them is part of its text. Takes linear time for
 * any text.
 */
export function readBlocks(text: string, names: readonly string[]): Map<string, FoundTag> {
  const found = new Map(
    names.map((name): [string, FoundTag] => [name, { values: [], opened: false, closed: false }]),
  );
  if (names.length === 0) return found;
  const known = new Map(names.map((name) => [name.toLowerCase(), name]));
  let open: Open | undefined;
  for (const line of text.split(/\r?\n/)) {
    const match = FENCE.exec(line);
    if (open === undefined) open = begin(match);
    else if (match === null || !ends(open, match))
      open.lines.push(line.slice(Math.min(open.indent, line.search(/\S|$/))));
    else {
      found.get(open.name)!.values.push(blockText(open.lines));
      open = undefined;
    }
  }
  if (open !== undefined) found.get(open.name)!.opened = true;
  return found;

  /** Begins a block; one that ends in the same line is complete at once. */
  function begin(match: RegExpExecArray | null): Open | undefined {
    const [, indent = '', fence = '', rest = ''] = match ?? [];
    const info = rest.trim();
    const [word = ''] = info.split(/[\s`~{]/, 1);
    const name = known.get(word.toLowerCase());
    if (name === undefined) return undefined;
    const line = info.slice(word.length);
    if (!line.endsWith(fence)) return { name, fence, indent: indent.length, lines: [], inside: 0 };
    found.get(name)!.values.push(line.slice(0, -fence.length).trim());
    return undefined;
  }
}

/** True if a line with a fence ends the block, and not one inside it. */
function ends(open: Open, [, , fence = '', rest]: RegExpExecArray): boolean {
  if (fence[0] !== open.fence[0] || fence.length < open.fence.length) return false;
  if (rest?.trim() !== '') open.inside += 1;
  else if (open.inside > 0) open.inside -= 1;
  else return true;
  return false;
}

/** Returns the lines without empty ones around them. Indentation stays, because it may be significant. */
function blockText(lines: readonly string[]): string {
  const first = lines.findIndex((line) => line.trim() !== '');
  return first < 0 ? '' : lines.slice(first).join('\n').trimEnd();
}
