/**
 * A copy of lists and plain objects, with each text in them as `change` leaves it. What is neither stays the same object:
 * bytes, a Date, an instance of a class, which a copy would rob of its methods.
 */
export function copyPlain(value: unknown, change: (text: string) => string = (text) => text): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => copyPlain(item, change));
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key), copyPlain(item, change)]),
  );
}

/** True for what was written as `{ … }`, or read from JSON. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
