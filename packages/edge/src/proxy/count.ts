/** A count of tokens as a provider tells it; undefined for what cannot be one. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value < 1e9 ? Math.ceil(value) : undefined;
}

/** The sum of those that are counts; undefined where the first is none. */
export function sumOf(first: unknown, ...more: unknown[]): number | undefined {
  const start = countOf(first);
  return start === undefined
    ? undefined
    : more.reduce<number>((sum, next) => sum + (countOf(next) ?? 0), start);
}
