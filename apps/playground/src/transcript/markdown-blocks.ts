/**
 * Cuts markdown at blank lines where a new block surely begins, so that a growing text re-renders only its last block.
 * A fence, a list and anything indented stay whole. Joined with blank lines the blocks give the text again.
 */
export function toMarkdownBlocks(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | undefined;
  let inList = false;
  let blank = false;
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
    const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/.test(line);
    if (blank && block.length > 0 && !/^(?: {2,}|\t)/.test(line) && !(inList && listItem)) {
      blocks.push(block.join('\n').trim());
      block = [];
      inList = false;
    }
    inList ||= listItem;
    fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    blank = false;
    block.push(line);
  }
  const last = block.join('\n').trim();
  if (last !== '') blocks.push(last);
  return blocks.filter((part) => part !== '');
}
