import type { UIMessage } from 'ai';

/** Arguments of a tool call: a plan of many entries. */
export type Plan = { entries: { title: string; hours: number }[] };

/** Returns `count` deltas of four characters. */
export function textPieces(count: number): string[] {
  return Array.from({ length: count }, () => 'word');
}

/** Returns a plan as JSON of about this many bytes, in deltas of 20. */
export function planPieces(bytes: number): string[] {
  const entry = (index: number): Plan['entries'][number] => ({
    title: `Entry ${index} of the plan`,
    hours: index % 9,
  });
  const count = Math.round(bytes / JSON.stringify(entry(10_000)).length);
  const json = JSON.stringify({ entries: Array.from({ length: count }, (_, index) => entry(index)) });
  return json.match(/.{1,20}/g) ?? [];
}

/** Returns the text that is shown of a plan while it arrives: the number of its entries, and the last one. */
export function sayPlan(plan: unknown): string {
  const { entries = [] } = (plan ?? {}) as Partial<Plan>;
  const { title = '', hours = 0 } = entries.at(-1) ?? {};
  return `${entries.length} entries, the last: ${title} (${hours} h)`;
}

/** Returns a conversation of this many messages. */
export function conversation(count: number): UIMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `earlier-${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    parts: [{ type: 'text', text: `Message ${index}. ${'It says a few words more than that. '.repeat(8)}` }],
  }));
}
