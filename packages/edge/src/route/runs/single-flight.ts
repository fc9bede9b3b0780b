const underWay = new WeakMap<object, Map<string, Promise<unknown>>>();

/** The same work for all who want it at one time, by what it is about: many readers of one run ask after it once. */
export function singleFlight<Value>(about: object, name: string, work: () => Promise<Value>): Promise<Value> {
  const named = underWay.get(about) ?? new Map<string, Promise<unknown>>();
  underWay.set(about, named);
  const known = named.get(name);
  // whoever uses a name always wants the same of it
  if (known !== undefined) return known as Promise<Value>;
  const begun = work().finally(() => named.delete(name));
  named.set(name, begun);
  return begun;
}
