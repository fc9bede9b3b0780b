import type { RunEvent } from '@cueline/core';

/**
 * Moves each streamed text that `has` accepts into its first part, because what it looks for may be divided between
 * two parts. The other parts stay, and are empty.
 */
export function joinDeltas(log: readonly RunEvent[], has: (text: string) => boolean): readonly RunEvent[] {
  const events = [...log];
  for (const places of streamedTexts(log)) {
    const text = places.map((at) => deltaOf(log[at]!) ?? '').join('');
    if (!has(text)) continue;
    for (const [index, at] of places.entries()) events[at] = withDelta(log[at]!, index === 0 ? text : '');
  }
  return events;
}

/** The places of the parts of each text in the log. */
function streamedTexts(log: readonly RunEvent[]): Iterable<number[]> {
  const texts: number[][] = [];
  /** By agent and id. After a retry, a text may begin again with the same id. */
  const latest = new Map<string, number[]>();
  for (const [at, event] of log.entries()) {
    const id = 'toolCallId' in event ? event.toolCallId : 'id' in event ? event.id : undefined;
    const key = JSON.stringify([event.agent, id]);
    if (event.type.endsWith('-start')) {
      const places: number[] = [];
      texts.push(places);
      latest.set(key, places);
    }
    if (deltaOf(event) !== undefined) latest.get(key)?.push(at);
  }
  return texts;
}

function deltaOf(event: RunEvent): string | undefined {
  if (event.type === 'text-delta' || event.type === 'reasoning-delta') return event.text;
  return event.type === 'tool-input-delta' ? event.delta : undefined;
}

function withDelta(event: RunEvent, text: string): RunEvent {
  if (event.type === 'text-delta' || event.type === 'reasoning-delta') return { ...event, text };
  return event.type === 'tool-input-delta' ? { ...event, delta: text } : event;
}
