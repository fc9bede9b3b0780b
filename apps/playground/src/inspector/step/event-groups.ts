import type { RunEvent } from '@cueline/core';

/** Events that follow each other and are pieces of the same text or of the same arguments; or a single event. */
export type EventGroup = { type: RunEvent['type']; events: readonly RunEvent[] };

/** Groups the pieces of each text. */
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

/** The id of the text or call of which an event is a piece. */
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
