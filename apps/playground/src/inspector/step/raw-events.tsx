import type { RunEvent } from '@cueline/core';
import { memo, useMemo, useState } from 'react';
import { Chevron } from '../../ui/chevron.tsx';
import { JsonView } from '../../ui/data/json-view.tsx';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { ShowMore, useFirstItems } from '../../ui/more-button.tsx';
import { groupEvents, type EventGroup } from './event-groups.ts';

/** The events of a step as they are in the log; deltas of the same text share a row. */
export const RawEvents = memo(function RawEvents({ events }: { events: readonly RunEvent[] }) {
  const groups = useMemo(() => groupEvents(events), [events]);
  const { shown, ...more } = useFirstItems(groups, 100);
  return (
    <>
      <ol className="font-mono text-sm">
        {shown.map((group) => (
          <li key={group.events[0]!.seq}>
            <EventRow group={group} />
          </li>
        ))}
      </ol>
      <ShowMore {...more} />
    </>
  );
});

function EventRow({ group: { type, events } }: { group: EventGroup }) {
  const [open, setOpen] = useState(false);
  const [first] = events;
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-6 w-full min-w-0 items-center gap-1.5 rounded text-left hover:bg-hover narrow:min-h-11"
      >
        <Chevron open={open} className="size-3" />
        <span className="w-10 shrink-0 text-right text-ink-3">{first!.seq}</span>
        <span className="min-w-0 truncate">{type}</span>
        {events.length > 1 && <span className="shrink-0 text-ink-3">× {formatCount(events.length)}</span>}
        <span className="ml-auto shrink-0 pl-2 font-sans text-ink-3">{formatDuration(first!.t)}</span>
      </button>
      {open && (
        <div className="ml-4 border-l border-line py-1 pl-2.5">
          <JsonView value={events.length === 1 ? first : events} />
        </div>
      )}
    </>
  );
}
