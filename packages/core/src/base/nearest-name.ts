/** Returns the known name that is most similar to a misspelt one; undefined if none is close. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const limit = Math.ceil(name.length / 3);
  let nearest: { name: string; edits: number } | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const edits = editsBetween(name.toLowerCase(), candidate.toLowerCase());
    if (edits <= limit && edits < (nearest?.edits ?? Infinity)) nearest = { name: candidate, edits };
  }
  return nearest?.name;
}

/** Returns the number of letters to add, remove or replace (Levenshtein distance). */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let at = 0; at < to.length; at++) {
      const replaced = row[at]! + (letter === to[at] ? 0 : 1);
      next.push(Math.min(replaced, row[at + 1]! + 1, next[at]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
