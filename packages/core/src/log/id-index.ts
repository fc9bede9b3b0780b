/** Where the entries of a list stand that grows and shrinks at its end, by their ids. An id may stand there again. */
export type IdIndex<Item> = {
  /** The member that is an entry's id; an entry keeps it, or has none. */
  key: keyof Item;
  /** What has been read of the list. */
  known?: {
    lasts: Map<unknown, number | undefined>;
    /** For each entry, the place of the same id before it. */
    befores: (number | undefined)[];
  };
};

/** So many entries are looked at before the list is read, each entry of it once. */
const NEAR = 6;

/** The last place of an id, from `from` on and before `end`, which is a place of that id or the end of the list. */
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

/** The list is about to lose what stands at `length` and after it. */
export function truncateIndex<Item>(
  { key, known }: IdIndex<Item>,
  list: readonly Item[],
  length: number,
): void {
  if (known === undefined) return;
  const { lasts, befores } = known;
  while (befores.length > length) lasts.set(list[befores.length - 1]![key], befores.pop());
}
