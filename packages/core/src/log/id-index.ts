/** Finds the entries of a list by their ids. The list grows and shrinks at its end, and ids may repeat. */
export type IdIndex<Item> = {
  /** The member that is an entry's id. An entry without it has none, and an id never changes. */
  key: keyof Item;
  /** The part of the list that has been indexed. */
  known?: [
    lasts: Map<unknown, number | undefined>,
    /** For each entry, the index of the entry before with the same id. */
    befores: (number | undefined)[],
  ];
};

/** The number of entries that are searched before the list is indexed. */
const LINEAR_SEARCH_LIMIT = 6;

/**
 * Returns the last index of an id, from `from` on and before `end`, which is an index of that id or the end of the
 * list.
 */
export function lastIndexOfId<Item>(
  idIndex: IdIndex<Item>,
  list: readonly Item[],
  id: string,
  from = 0,
  end: number = list.length,
): number | undefined {
  const { key } = idIndex;
  for (let index = end - 1; index >= end - LINEAR_SEARCH_LIMIT; index -= 1) {
    if (index < from) return undefined;
    if (list[index]![key] === id) return index;
  }
  const [lasts, befores] = (idIndex.known ??= [new Map(), []]);
  for (let index = befores.length; index < list.length; index += 1) {
    const read = list[index]![key];
    befores.push(lasts.get(read));
    lasts.set(read, index);
  }
  const last = end < list.length ? befores[end] : lasts.get(id);
  return last !== undefined && last >= from ? last : undefined;
}

/** Call this before the list loses the entries from `length` on. */
export function truncateIndex<Item>(
  { key, known }: IdIndex<Item>,
  list: readonly Item[],
  length: number,
): void {
  if (known === undefined) return;
  const [lasts, befores] = known;
  while (befores.length > length) lasts.set(list[befores.length - 1]![key], befores.pop());
}
