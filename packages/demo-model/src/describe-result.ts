import { beginningOf } from './beginning-of.ts';
import type { ToolOutcome } from './parse-prompt.ts';

const mostFields = 6;
const longest = 240;

/** A tool's result in a sentence, or in a short markdown list. */
export function describeOutcome({ toolName, state, value }: ToolOutcome): string {
  if (state === 'failed') return `${toolName} failed: ${sentence(inline(value))}`;
  if (state === 'denied')
    return `${toolName} was not allowed to run${value ? `: ${sentence(inline(value))}` : '.'}`;
  if (isEmpty(value)) return `${toolName} is done, and had nothing to report.`;
  if (typeof value !== 'object' || value === null) return `${toolName} says: ${sentence(inline(value))}`;
  const entries = Array.isArray(value) ? value.map((item) => ['', item] as const) : Object.entries(value);
  const lines = entries
    .slice(0, mostFields)
    .map(([key, item]) => (key === '' ? `- ${inline(item)}` : `- **${key}**: ${inline(item)}`));
  const more = entries.length - lines.length;
  if (more > 0) lines.push(`- … and ${more} more`);
  return `${toolName} returned:\n\n${lines.join('\n')}`;
}

/** The result in a few words, for use inside a sentence. */
export function inline(value: unknown): string {
  if (typeof value === 'string') {
    const plain = value.replace(/\s+/g, ' ').trim();
    return truncate(plain.replace(/^Error: /, ''));
  }
  if (typeof value !== 'object' || value === null) return String(value);
  const { message, error } = value as { message?: unknown; error?: unknown };
  if (typeof message === 'string') return truncate(message);
  if (typeof error === 'string') return truncate(error);
  if (Array.isArray(value)) return truncate(value.map(inline).join(', '));
  return truncate(
    Object.entries(value)
      .map(([key, item]) => `${key} ${inline(item)}`)
      .join(', '),
  );
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function truncate(text: string): string {
  return text.length > longest ? `${beginningOf(text, longest).trimEnd()}…` : text;
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
