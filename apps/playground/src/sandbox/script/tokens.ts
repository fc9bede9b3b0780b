import { getFormattedTokens, type Transform } from 'sucrase';

/** What Sucrase does to a script. */
export const transforms: Transform[] = ['typescript', 'imports'];

/** A token of a script; lines and columns from 1. A token of several lines has no `text`. */
export type Token = { label: string; text: string; line: number; column: number; endLine: number };

/** The tokens of the last script: it is read when it is checked, when it runs, and for its lines. */
let last: { source: string; tokens: readonly Token[] } | undefined;

/** The script's tokens. Throws the parser's error. */
export function readTokens(source: string): readonly Token[] {
  if (last?.source !== source) last = { source, tokens: parseTokens(source) };
  return last.tokens;
}

/**
 * The script's tokens, through the only public function in which Sucrase exposes them: a table, one row per token.
 */
function parseTokens(source: string): Token[] {
  const lines = source.split('\n');
  const rows = getFormattedTokens(source, { transforms }).split('\n');
  return rows.flatMap((row) => {
    const [, line, column, endLine, endColumn, label] = /^(\d+):(\d+)-(\d+):(\d+) +(\S+)/.exec(row) ?? [];
    if (label === undefined) return [];
    const text =
      line === endLine
        ? (lines[Number(line) - 1]?.slice(Number(column) - 1, Number(endColumn) - 1) ?? '')
        : '';
    return [{ label, text, line: Number(line), column: Number(column), endLine: Number(endLine) }];
  });
}
