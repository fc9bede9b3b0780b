import type { RunEvent } from '@cueline/core';

/** Consecutive deltas of the same text or the same arguments, or a single event. */
export type EventGroup = { type: RunEvent['type']; events: readonly RunEvent[] };

/** Groups the deltas of each text. */
export function groupEvents(events: readonly RunEvent[]): EventGroup[] {
  const groups: { type: RunEvent['type']; id: string | undefined; events: RunEvent[] }[] = [];
  for (const event of events) {
    const id = pieceOf(event);
    const last = groups.at(-1);
    if (id !== undefined && last?.type === event.type && last.id === id) last.events.push(event);
    else groups.push({ type: event.type, id, events: [event] });
  }
  return groups;
}

/** The id of the text or call that a delta belongs to. */
function pieceOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return event.id;
    case 'tool-input-delta':
      return event.toolCallId;
    default:
      return undefined;
  }
}
