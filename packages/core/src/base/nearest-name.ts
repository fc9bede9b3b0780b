/** Which of the known names a misspelt one may have been meant to be; undefined where none is close to it. */
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

/** Letters to add, drop or replace (Levenshtein's distance). */
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
