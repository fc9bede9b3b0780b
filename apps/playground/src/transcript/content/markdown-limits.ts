/**
 * The longest block that is parsed as markdown, in characters; less while it grows, because it is parsed again each
 * frame.
 */
const LONGEST_BLOCK = 100_000;
const LONGEST_GROWING_BLOCK = 30_000;
/** The most marks of emphasis and links in one block outside a fence; the parser compares each with the others. */
const MOST_MARKS = 1_500;

// Nested quotes and lists; the parser recurses for each level.
const deepNesting = /^[ \t]*(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+){50}/m;

/** True for a block that would block or break the page as markdown, and is shown as plain text. */
export function exceedsMarkdownLimits(block: string, growing: boolean): boolean {
  if (block.length > (growing ? LONGEST_GROWING_BLOCK : LONGEST_BLOCK)) return true;
  if (deepNesting.test(block)) return true;
  const fenced = /^ {0,3}(?:```|~~~)/.test(block);
  return !fenced && (block.match(/[*_~[\]]/g)?.length ?? 0) > MOST_MARKS;
}
