/** Choices that a seed decides. */
export type Random = {
  shuffled<Item>(items: readonly Item[]): Item[];
  choice<Item>(items: readonly Item[]): Item;
};

/** Returns choices that are the same for the same seed. Not for secrets. */
export function createRandom(seed: number): Random {
  let state = Math.trunc(seed) >>> 0;
  /**
   * A number from 0 up to `end`, by a multiplication and two shifts of the state (the generator is known as
   * mulberry32).
   */
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  };
  return {
    shuffled(items) {
      const rest = [...items];
      return items.map(() => rest.splice(below(rest.length), 1)[0]!);
    },
    choice: (items) => items[below(items.length)]!,
  };
}
