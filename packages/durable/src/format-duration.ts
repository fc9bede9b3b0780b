const UNITS = [
  ['day', 24 * 60 * 60_000],
  ['hour', 60 * 60_000],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
] as const;

/**
 * Returns a length of time as text, in its two largest units: `24 hours`, `1 minute 30 seconds`. One day is 24 hours.
 */
export function formatDuration(ms: number): string {
  let rest = Math.max(0, Math.round(ms));
  const parts: string[] = [];
  for (const [unit, length] of UNITS) {
    const count = Math.floor(rest / length);
    if (count === 0 || (unit === 'day' && count === 1)) continue;
    parts.push(`${count} ${unit}${count === 1 ? '' : 's'}`);
    rest -= count * length;
  }
  return parts.slice(0, 2).join(' ') || '0 milliseconds';
}
