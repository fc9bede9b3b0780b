/**
 * Returns a copy of lists and plain objects, with each text in them changed by `change`. Other objects stay the same:
 * bytes, dates, and class instances, which would lose their methods in a copy.
 */
export function copyPlain(value: unknown, change: (text: string) => string = (text) => text): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => copyPlain(item, change));
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key), copyPlain(item, change)]),
  );
}

/** True for an object literal and an object from JSON, of any realm: its prototype, if it has one, has none. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
