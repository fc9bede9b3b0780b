import { isRecord } from '../ui/data/is-record.ts';

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
