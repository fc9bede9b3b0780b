import type { ScriptPosition } from './script-error.ts';

/** What Sucrase throws: `pos` counts from 0, line and column of `loc` from 1. */
export type ParseError = SyntaxError & { pos: number; loc: Required<ScriptPosition> };

const insertion = 'async ';

/**
 * The position of a syntax error. The parser first tries `(a) => { … }` as an arrow function, and if anything
 * inside it fails, reports the arrow. If the function is async, it has no alternative and reports the true
 * position; so this makes arrows that it reports async as long as that gets further.
 */
export function locateSyntaxError(
  source: string,
  error: ParseError,
  parse: (source: string) => ParseError | undefined,
): { error: ParseError; position: Required<ScriptPosition> } {
  let text = source;
  let found = error;
  const insertedAt: number[] = [];
  while (insertedAt.length < 50 && text.startsWith('=>', found.pos)) {
    const open = openingOf(text, found.pos);
    if (open === undefined || text.slice(0, open).endsWith(insertion)) break;
    text = text.slice(0, open) + insertion + text.slice(open);
    const next = parse(text);
    if (next === undefined) break;
    insertedAt.push(open);
    found = next;
  }
  const before = source === text ? found.pos : mapBack(found.pos, insertedAt);
  const lines = source.slice(0, before).split('\n');
  return { error: found, position: { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 } };
}

/** The start of the parameter list that ends before `arrow`. */
function openingOf(text: string, arrow: number): number | undefined {
  let depth = 0;
  for (let at = text.lastIndexOf(')', arrow); at >= 0; at -= 1) {
    if (text[at] === ')') depth += 1;
    else if (text[at] === '(' && --depth === 0) return at;
  }
  return undefined;
}

function mapBack(position: number, insertedAt: readonly number[]): number {
  return insertedAt.reduceRight((at, open) => (at > open ? at - insertion.length : at), position);
}
