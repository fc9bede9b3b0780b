/**
 * The number of items after which a list continues in the next block. Without this limit, a list of a thousand items
 * would be parsed again at every word.
 */
const MAX_ITEMS = 50;

const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
// An unindented item is never inside another one.
const outerItem = /^(?:[-*+]|(\d{1,9})([.)]))\s+\S/;

/**
 * Cuts markdown at blank lines where a new block certainly begins, so that a growing text re-renders only its
 * last block. A fence and anything indented stay whole, and so do lists, except for long ones: see {@link
 * continuesList}. Joined with blank lines the blocks are the text again.
 */
export function toMarkdownBlocks(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | undefined;
  let inList = false;
  let list: OuterList | undefined;
  let blank = false;
  const begin = (): void => {
    blocks.push(block.join('\n').trim());
    block = [];
    inList = false;
    list = undefined;
  };
  for (const line of text.split('\n')) {
    if (fence !== undefined) {
      block.push(line);
      if (new RegExp(`^ {0,3}${fence[0]}{${fence.length},}\\s*$`).test(line)) fence = undefined;
      blank = false;
      continue;
    }
    if (line.trim() === '') {
      blank = true;
      block.push(line);
      continue;
    }
    const isItem = listItem.test(line);
    if (blank && block.length > 0 && !/^(?: {2,}|\t)/.test(line) && !(inList && isItem)) begin();
    const outer = outerItem.exec(line);
    if (outer !== null) {
      if (list !== undefined && mayCut(list, line, outer[1])) begin();
      list = withItem(list, line, outer);
    }
    inList ||= isItem;
    fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    blank = false;
    block.push(line);
  }
  const last = block.join('\n').trim();
  if (last !== '') blocks.push(last);
  return blocks.filter((part) => part !== '');
}

/** True for a block that continues the list of the previous one. */
export function continuesList(before: string | undefined, block: string): boolean {
  if (before === undefined || !outerItem.test(block)) return false;
  return before.split('\n').filter((line) => outerItem.test(line)).length >= MAX_ITEMS;
}

/** The unindented items of a block's list. */
type OuterList = { kind: string; start: number; items: number };

function withItem(list: OuterList | undefined, line: string, [, number, end]: RegExpExecArray): OuterList {
  const kind = end ?? line[0]!;
  if (list?.kind === kind) return { ...list, items: list.items + 1 };
  return { kind, start: Number(number ?? 0), items: 1 };
}

/** True before an item whose number equals the first of its own list. */
function mayCut({ kind, start, items }: OuterList, line: string, number: string | undefined): boolean {
  if (items < MAX_ITEMS) return false;
  return number === undefined ? line[0] === kind : Number(number) === start + items;
}
