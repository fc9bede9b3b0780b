/** Finds the entries of a list by their ids. The list grows and shrinks at its end, and ids may repeat. */
export type IdIndex<Item> = {
  /** The member that is an entry's id. An entry without it has none, and an id never changes. */
  key: keyof Item;
  /** The part of the list that has been indexed. */
  known?: {
    lasts: Map<unknown, number | undefined>;
    /** For each entry, the index of the entry before with the same id. */
    befores: (number | undefined)[];
  };
};

/** How many entries are searched before the list is indexed, each entry once. */
const NEAR = 6;

/**
 * Returns the last index of an id, from `from` on and before `end`, which is an index of that id or the end of the
 * list.
 */
export function lastIndexOfId<Item>(
  places: IdIndex<Item>,
  list: readonly Item[],
  id: string,
  from = 0,
  end: number = list.length,
): number | undefined {
  const { key } = places;
  for (let place = end - 1; place >= end - NEAR; place -= 1) {
    if (place < from) return undefined;
    if (list[place]![key] === id) return place;
  }
  const { lasts, befores } = (places.known ??= { lasts: new Map(), befores: [] });
  for (let place = befores.length; place < list.length; place += 1) {
    const read = list[place]![key];
    befores.push(lasts.get(read));
    lasts.set(read, place);
  }
  const place = end < list.length ? befores[end] : lasts.get(id);
  return place !== undefined && place >= from ? place : undefined;
}

/** Call this before the list loses the entries from `length` on. */
export function truncateIndex<Item>(
  { key, known }: IdIndex<Item>,
  list: readonly Item[],
  length: number,
): void {
  if (known === undefined) return;
  const { lasts, befores } = known;
  while (befores.length > length) lasts.set(list[befores.length - 1]![key], befores.pop());
}
