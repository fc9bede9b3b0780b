/** Where the entries of a list stand that only grows and shrinks at its end, by their ids. An id may stand there again. */
export type Places<Item> = {
  /** The last place of an id in `list`. */
  last(list: readonly Item[], id: string): number | undefined;
  /** The place of the same id before this one. */
  before(place: number): number | undefined;
  /** The list has lost what stood at `length` and after it. */
  cut(length: number): void;
};

/** Reads each entry once, when somebody asks for one. An entry keeps its id. */
export function createPlaces<Item>(idOf: (item: Item) => string | undefined): Places<Item> {
  const lasts = new Map<string | undefined, number>();
  const read: [id: string | undefined, before: number | undefined][] = [];
  return {
    last(list, id) {
      for (let place = read.length; place < list.length; place += 1) {
        const own = idOf(list[place]!);
        read.push([own, lasts.get(own)]);
        lasts.set(own, place);
      }
      return lasts.get(id);
    },
    before: (place) => read[place]?.[1],
    cut(length) {
      while (read.length > length) {
        const [id, before] = read.pop()!;
        if (before === undefined) lasts.delete(id);
        else lasts.set(id, before);
      }
    },
  };
}
