/** Returns every list and plain object in these values, at any depth. */
export function collectObjects(values: readonly unknown[]): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  const pending = [...values];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null || found.has(value)) continue;
    const isPlain = Array.isArray(value) || Object.prototype.toString.call(value) === '[object Object]';
    if (!isPlain) continue;
    found.add(value);
    for (const entry of Object.values(value)) pending.push(entry);
  }
  return found;
}
