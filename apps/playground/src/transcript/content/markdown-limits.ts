/**
 * The longest block that is parsed as markdown, in characters; less while it grows, because it is parsed again each
 * frame.
 */
const MAX_BLOCK_LENGTH = 100_000;
const MAX_GROWING_BLOCK_LENGTH = 30_000;
/**
 * The most marks of emphasis, links and tags in one block outside a fence; the parser compares each with the others.
 */
const MAX_MARKS = 1_500;
/** The most lines in one block outside a fence; an underlined title costs the parser more with each title before it. */
const MAX_LINES = 1_000;
/** How many cells a table may have that are not written: each row gets as many as the head. */
const MAX_ADDED_CELLS = 300;

// Nested quotes and lists; the parser recurses for each level.
const deepNesting = /^[ \t]*(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+){50}/m;

/** True for a block that would block or break the page as markdown, and is shown as plain text. */
export function exceedsMarkdownLimits(block: string, growing: boolean): boolean {
  if (block.length > (growing ? MAX_GROWING_BLOCK_LENGTH : MAX_BLOCK_LENGTH)) return true;
  if (deepNesting.test(block)) return true;
  const lines = linesOutsideFences(block);
  if (lines.length > MAX_LINES || addsManyCells(lines)) return true;
  return count(lines.join('\n'), /[*_~[\]<]/g) > MAX_MARKS;
}

/**
 * The lines of a block without the code in fences. A fence inside a list may end with the list, so it is not one
 * here.
 */
function linesOutsideFences(block: string): string[] {
  const outside: string[] = [];
  let end: RegExp | undefined;
  for (const line of block.split(/\r\n?|\n/)) {
    if (end !== undefined) {
      if (end.test(line)) end = undefined;
      continue;
    }
    outside.push(line);
    const fence = /^(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(line);
    const mark = fence?.[1] ?? fence?.[2];
    if (mark !== undefined) end = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}\\s*$`);
  }
  return outside;
}

/** The line below the head of a table, also in a quote. It has as many cells as the head. */
const delimiterRow = /^[\s>|:-]+$/;

/** True if the lines have a table whose rows are far shorter than its head. */
function addsManyCells(lines: readonly string[]): boolean {
  const heads = lines.filter((line) => delimiterRow.test(line));
  const widest = Math.max(0, ...heads.map((line) => count(line, /\|/g)));
  return widest * lines.length > 2 * count(lines.join('\n'), /\|/g) + MAX_ADDED_CELLS;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
