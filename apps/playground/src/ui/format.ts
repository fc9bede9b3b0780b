import { isRecord } from './data/is-record.ts';

/** `<1 ms`, `312 ms`, `1.2 s`, `2 m 05 s`. */
export function formatDuration(ms: number): string {
  if (ms < 0.5) return '<1 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, '0')} s`;
}

/** `980`, `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** A count with its noun: `1 token`, `2 tokens`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * `1,500 → 300 tokens`, as the provider has counted them; undefined if it has not. A stored log has null for a count
 * that is not a number.
 */
export function formatUsage(usage: {
  inputTokens?: number | null | undefined;
  outputTokens?: number | null | undefined;
}): string | undefined {
  const counts = [usage.inputTokens, usage.outputTokens].map((tokens) => tokens ?? undefined);
  if (counts.every((tokens) => tokens === undefined)) return undefined;
  const [input, output] = counts.map((tokens) => (tokens === undefined ? '?' : formatCount(tokens)));
  return `${input} → ${output} tokens`;
}

/** `$0.0012`, `$1.50`; `$0` for less than a ten-millionth. */
export function formatCost(dollars: number): string {
  if (dollars >= 0.01) return `$${dollars.toFixed(2)}`;
  // two significant digits
  const digits = Math.min(7, 1 - Math.floor(Math.log10(dollars)));
  const text = dollars > 0 ? dollars.toFixed(digits) : '0';
  return `$${Number(text) === 0 ? '0' : text}`;
}

/** Returns a text unchanged, and any other value as indented JSON. */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}

/** A size of text as a link carries it: `820 B`, `1.4 KB`. */
export function formatSize(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} KB`;
}

const MAX_WORD_LENGTH = 40;

/** A value in a few words, for a single line. Of an object, it shows up to `fields` fields. */
export function summarize(value: unknown, longest: number = MAX_WORD_LENGTH, fields: number = 3): string {
  if (typeof value === 'string') {
    const line = value.replaceAll(/\s+/g, ' ').trim();
    return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
  }
  if (Array.isArray(value)) return value.length === 0 ? 'empty list' : plural(value.length, 'item');
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length === 0) return 'empty';
    const ofField = Math.max(24, Math.floor(longest / 2));
    return entries
      .slice(0, fields)
      .map(([key, field]) => {
        const words = typeof field === 'object' && field !== null ? shape(field) : summarize(field, ofField);
        return `${key} ${words}`;
      })
      .join(', ');
  }
  return String(value);
}

function shape(value: object): string {
  return Array.isArray(value) ? `[${value.length}]` : '{…}';
}

/** A tool's arguments as the pairs of a folded card, each value of at most `longest` characters. */
export function keyArguments(input: unknown, longest: number = 28): { name: string; value: string }[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  return Object.entries(input)
    .slice(0, 3)
    .map(([name, value]) => ({
      name,
      value: typeof value === 'object' && value !== null ? shape(value) : summarize(value, longest),
    }));
}

/** A tool's result without the fields that only repeat its arguments. */
export function newFields(output: unknown, input: unknown): unknown {
  if (!isRecord(output) || !isRecord(input)) return output;
  const fields = Object.entries(output).filter(([key, value]) => input[key] !== value);
  return fields.length === 0 ? output : Object.fromEntries(fields);
}
