import { getFormattedTokens, type Transform } from 'sucrase';
import { createReadBudget, toParserInput, type ReadBudget } from './parser-input.ts';

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

/** The script's tokens, through the only public function in which Sucrase exposes them: a table, one row per token. */
function parseTokens(source: string): Token[] {
  const lines = startsOfLines(source);
  return formatTokens(source, createReadBudget(source))
    .split('\n')
    .flatMap((row) => {
      const [, first, last, label] = /^1:(\d+)-1:(\d+) +(\S+)/.exec(row) ?? [];
      if (label === undefined) return [];
      const [start, end] = [Number(first) - 1, Number(last) - 1];
      const [line, endLine] = [lineAt(lines, start), lineAt(lines, end)];
      const text = line === endLine ? source.slice(start, end) : '';
      return [{ label, text, line: line + 1, column: start - lines[line]! + 1, endLine: endLine + 1 }];
    });
}

/** Sucrase's table of a script's tokens, with offsets from 1 as columns of line 1. Throws the parser's error. */
export function formatTokens(source: string, budget: ReadBudget): string {
  return getFormattedTokens(toParserInput(source, budget), { transforms });
}

function startsOfLines(source: string): number[] {
  return [0, ...Array.from(source.matchAll(/\r\n?|\n/g), (found) => found.index + found[0].length)];
}

function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
