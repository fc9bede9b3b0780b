/** Returns a short form of a value for an error message, with quotes around a string. */
export function quoteValue(value: unknown): string {
  if (typeof value === 'string') return `'${shorten(value, 40)}'`;
  if (typeof value === 'function') return 'a function';
  if (value === null || typeof value !== 'object') return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** Returns a text, or the first characters of a longer one with "…". */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  // half a surrogate pair is not a text that providers accept
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
