import { isSameJson } from '../../input/same-json.ts';

/**
 * Merges two changed copies of a list, item by item, in the order of `mine`. An item stays if one copy has deleted it
 * and the other has changed it. If both have changed it, `mergeItem` returns what takes its place.
 */
export function mergeItems<Item>(
  base: readonly Item[],
  mine: readonly Item[],
  theirs: readonly Item[],
  idOf: (item: Item) => string,
  mergeItem: (base: Item | undefined, mine: Item, theirs: Item) => readonly Item[],
): readonly Item[] {
  if (isSameJson(mine, base)) return theirs;
  const before = byId(base, idOf);
  const own = byId(mine, idOf);
  const other = byId(theirs, idOf);
  const merged = new Map<string, readonly Item[]>();
  // items that only the others have stand after the item that they follow there
  const added = new Map<string | undefined, string[]>();
  let last: string | undefined;
  for (const [id, item] of other) {
    const isNew = !before.has(id) || !isSameJson(item, before.get(id));
    if (own.has(id)) last = id;
    else if (isNew) added.set(last, [...(added.get(last) ?? []), id]);
  }
  const add = (after: string | undefined): void => {
    for (const id of added.get(after) ?? []) merged.set(id, [other.get(id)!]);
  };
  add(undefined);
  for (const [id, item] of own) {
    const old = before.get(id);
    const theirItem = other.get(id);
    if (theirItem === undefined) {
      if (old === undefined || !isSameJson(item, old)) merged.set(id, [item]);
    } else if (isSameJson(item, theirItem) || isSameJson(theirItem, old)) merged.set(id, [item]);
    else if (isSameJson(item, old)) merged.set(id, [theirItem]);
    else merged.set(id, mergeItem(old, item, theirItem));
    add(id);
  }
  return [...merged.values()].flat();
}

/** The items by id; a second item with the same id gets another one. */
function byId<Item>(list: readonly Item[], idOf: (item: Item) => string): Map<string, Item> {
  const items = new Map<string, Item>();
  for (const item of list) items.set(freeKey(idOf(item), items), item);
  return items;
}

/** The wanted key, or one made of it that `taken` does not have; the same one in every tab. */
export function freeKey(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  return taken.has(wanted) ? freeKey(`${wanted} `, taken) : wanted;
}
