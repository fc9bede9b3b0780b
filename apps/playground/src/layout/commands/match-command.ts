/**
 * How well a command fits a search, from 0 for not at all to 1. Each word of the search is in the command's label or in
 * its details; commands where it begins a word come first, and those where it does so in the label before these.
 */
export function matchCommand(search: string, label = '', details = ''): number {
  const query = search.trim().toLowerCase();
  const words = query.split(/\s+/);
  const name = label.toLowerCase();
  const all = `${name} ${details.toLowerCase()}`;
  if (name.startsWith(query)) return 1;
  if (words.every((word) => beginsWord(name, word))) return 0.8;
  if (words.every((word) => beginsWord(all, word))) return 0.6;
  return words.every((word) => all.includes(word)) ? 0.4 : 0;
}

function beginsWord(text: string, word: string): boolean {
  return text.split(/[^\p{L}\p{N}]+/u).some((one) => one.startsWith(word));
}
