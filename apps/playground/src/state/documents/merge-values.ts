import { isSameJson } from '../../input/same-json.ts';
import { isRecord } from '../../ui/data/is-record.ts';

/**
 * Merges two changed copies of a JSON value: what only one of them changed since `base` comes from that one, and `mine`
 * wins where both did. Records are merged member by member, `depth` levels down.
 */
export function mergeValues<Value>(
  base: Value | undefined,
  mine: Value,
  theirs: Value,
  depth: number,
): Value {
  if (isSameJson(mine, base)) return theirs;
  if (depth === 0 || !isRecord(mine) || !isRecord(theirs)) return mine;
  const before = membersOf(isRecord(base) ? base : {});
  const own = membersOf(mine);
  const other = membersOf(theirs);
  const merged = [...new Set([...own.keys(), ...other.keys()])].map((name) => [
    name,
    mergeValues(before.get(name), own.get(name), other.get(name), depth - 1),
  ]);
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined)) as Value;
}

/** The members by name, also one named `__proto__`. */
function membersOf(record: object): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(record));
}
