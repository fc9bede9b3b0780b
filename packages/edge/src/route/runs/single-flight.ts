const inProgress = new WeakMap<object, Map<string, Promise<unknown>>>();

/** Shares work between simultaneous callers, by its subject: for many readers of one run, the store is asked once. */
export function singleFlight<Value>(about: object, name: string, work: () => Promise<Value>): Promise<Value> {
  const named = inProgress.get(about) ?? new Map<string, Promise<unknown>>();
  inProgress.set(about, named);
  const known = named.get(name);
  // all callers of one name want the same type
  if (known !== undefined) return known as Promise<Value>;
  const begun = work().finally(() => named.delete(name));
  named.set(name, begun);
  return begun;
}
