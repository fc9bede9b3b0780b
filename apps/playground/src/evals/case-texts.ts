/** Returns a value of a case as the form edits it. */
export function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the values of a case as the form edits them. */
export function toTexts(input: unknown): Record<string, string> {
  if (!isRecord(input)) return {};
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, toText(value)]));
}

/** True for an object, such as the values of a case by parameter. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
