import { clsx } from 'clsx';
import type { CSSProperties } from 'react';
import { formatDuration } from '../ui/format.ts';
import type { Segment, SegmentKind, TimelineRow } from './timeline-row.ts';

/** What the parts of a bar are called, and how they look: waits are striped, and what produces something is solid. */
export const segmentStyles: Record<SegmentKind, { label: string; className: string }> = {
  'first-token': { label: 'To first token', className: 'h-2.5 bg-ink-3/30' },
  generating: { label: 'Generating', className: 'h-2.5 bg-ink-3' },
  rest: { label: 'Tools', className: 'h-px bg-ink-3' },
  thinking: { label: 'Thinking', className: 'h-2 bg-thinking' },
  text: { label: 'Text', className: 'h-2 bg-text-kind' },
  arguments: { label: 'Writing arguments', className: 'h-2 bg-tool/40' },
  asking: { label: 'Waiting for an answer', className: 'h-2 stripes text-warn' },
  running: { label: 'Running', className: 'h-2 bg-tool' },
  failed: { label: 'Failed', className: 'h-2 bg-danger' },
  retrying: { label: 'Waiting to try again', className: 'h-2 stripes text-warn' },
};

/** The bar of a row, or its mark, on the axis. */
export function Bars({ row }: { row: TimelineRow }) {
  if (row.segments.length === 0) {
    return (
      <span
        style={{ left: offsetOf(row.start) }}
        className={clsx(
          'absolute top-1/2 size-2 -translate-x-1/2 -translate-y-1/2 rotate-45 rounded-[1px] forced-color-adjust-none',
          row.failed ? 'bg-danger' : row.kind === 'warning' ? 'bg-warn' : 'bg-text-kind',
        )}
      />
    );
  }
  return row.segments.map((segment) => (
    <span
      key={`${segment.kind} ${segment.start}`}
      style={placeOf(segment)}
      className={clsx(
        // centered by margins: a transform of each bar would slow down each frame of a drag
        'absolute inset-y-0 my-auto min-w-0.5 forced-color-adjust-none first:rounded-l-xs last:rounded-r-xs',
        segmentStyles[segment.kind].className,
      )}
    />
  ));
}

/** A place on the axis, whose end is the element's `--end`. */
export function offsetOf(time: number): string {
  return `calc(${time} / var(--end) * 100%)`;
}

function placeOf({ start, end }: Segment): CSSProperties {
  const length = end === undefined ? `(var(--end) - ${start})` : String(Math.max(0, end - start));
  return { left: offsetOf(start), width: `calc(${length} / var(--end) * 100%)` };
}

/** A row's times in words; `now` is the end of a row that is in progress. */
export function describeTimes({ start, segments, detail }: TimelineRow, now: number): string {
  const more = detail === undefined ? '' : `. ${detail}`;
  const from = `At ${formatDuration(start)}`;
  if (segments.length === 0) return from + more;
  const parts = segments.map((segment) => {
    const { label } = segmentStyles[segment.kind];
    return `${label} ${formatDuration((segment.end ?? now) - segment.start)}`;
  });
  return `${from}: ${parts.join(', ')}${more}`;
}
