/** The maximum length of a text in a difference, in characters. */
const SHOWN = 60;
const MAX_DIFFERENCES = 3;

/** Returns how much of two JSON values is equal, from 0 to 1. */
export function similarity(one: unknown, other: unknown): number {
  const [left, right] = [leavesOf(one), leavesOf(other)];
  let equal = 0;
  for (const [path, value] of left) {
    if (right.get(path) === value) equal += 1;
  }
  return equal / Math.max(left.size, right.size, 1);
}

/** Describes the first differences between a recorded and an actual request. */
export function describeDifferences(recorded: unknown, made: unknown): string {
  const [left, right] = [leavesOf(recorded), leavesOf(made)];
  const paths = [...new Set([...left.keys(), ...right.keys()])].filter(
    (path) => left.get(path) !== right.get(path),
  );
  const shown = paths.slice(0, MAX_DIFFERENCES).map((path) => {
    const [was, is] = excerpts(left.get(path), right.get(path));
    return `${path}: recorded ${was}, requested ${is}`;
  });
  const more = paths.length - shown.length;
  return shown.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/** Returns the JSON text of each leaf, by its path. */
function leavesOf(value: unknown): Map<string, string> {
  const leaves = new Map<string, string>();
  const visit = (item: unknown, path: string): void => {
    if (typeof item !== 'object' || item === null) leaves.set(path, JSON.stringify(item) ?? 'undefined');
    else if (Array.isArray(item)) item.forEach((child, index) => visit(child, `${path}[${index}]`));
    else for (const [key, child] of Object.entries(item)) visit(child, path === '' ? key : `${path}.${key}`);
  };
  visit(value, '');
  return leaves;
}

/** Returns both texts from shortly before their first difference on. */
function excerpts(one = 'nothing', other = 'nothing'): [string, string] {
  let same = 0;
  while (same < Math.min(one.length, other.length) && one[same] === other[same]) same += 1;
  const from = Math.max(0, same - SHOWN / 3);
  const cut = (text: string): string => {
    const piece = text.slice(from, from + SHOWN);
    return `${from > 0 ? '…' : ''}${piece}${text.length > from + SHOWN ? '…' : ''}`;
  };
  return [cut(one), cut(other)];
}
