/** Where the entries of a list stand that only grows and shrinks at its end, by their ids. An id may stand there again. */
export type Places<Item> = {
  /** The last place of an id in `list`. */
  last(list: readonly Item[], id: string): number | undefined;
  /** The place of the same id before this one. */
  before(place: number): number | undefined;
  /** The list has lost what stood at `length` and after it. */
  cut(length: number): void;
};

/** Reads each entry once, when one is asked for that is not the last. An entry keeps its id. */
export function createPlaces<Item>(idOf: (item: Item) => string | undefined): Places<Item> {
  const lasts = new Map<string | undefined, number | undefined>();
  const ids: (string | undefined)[] = [];
  const befores: (number | undefined)[] = [];
  let list: readonly Item[] = [];
  const read = (): void => {
    for (let place = ids.length; place < list.length; place += 1) {
      const id = idOf(list[place]!);
      ids.push(id);
      befores.push(lasts.get(id));
      lasts.set(id, place);
    }
  };
  return {
    last(now, id) {
      list = now;
      const end = list.length - 1;
      if (end >= 0 && idOf(list[end]!) === id) return end;
      read();
      return lasts.get(id);
    },
    before(place) {
      read();
      return befores[place];
    },
    cut(length) {
      while (ids.length > length) lasts.set(ids.pop(), befores.pop());
    },
  };
}
