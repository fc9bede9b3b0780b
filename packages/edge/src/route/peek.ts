/**
 * The same items, or undefined where there are none and none are to come. Whether that is so is waited for that many
 * milliseconds: where items may still come, nobody knows when.
 */
export async function peek<Item>(
  items: AsyncIterable<Item>,
  ms: number,
): Promise<AsyncIterable<Item> | undefined> {
  const iterator = items[Symbol.asyncIterator]();
  const first = iterator.next();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
  // whoever reads the items hears of a failure
  const isEmpty = await Promise.race([
    first.then(
      ({ done }) => done === true,
      () => false,
    ),
    silence,
  ]);
  clearTimeout(timer);
  if (isEmpty === true) return undefined;
  let given = false;
  return {
    [Symbol.asyncIterator]: () => ({
      next() {
        if (given) return iterator.next();
        given = true;
        return first;
      },
      return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    }),
  };
}
