/** Returns every list and plain object in these values, at any depth. */
export function objectsIn(values: readonly unknown[]): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  const left = [...values];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null || found.has(value)) continue;
    const isPlain = Array.isArray(value) || Object.prototype.toString.call(value) === '[object Object]';
    if (!isPlain) continue;
    found.add(value);
    for (const entry of Object.values(value)) left.push(entry);
  }
  return found;
}
