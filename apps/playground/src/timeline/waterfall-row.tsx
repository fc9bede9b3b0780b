import { clsx } from 'clsx';
import {
  Bot,
  Brain,
  ChevronDown,
  ChevronRight,
  CircleAlert,
  CornerDownRight,
  Footprints,
  Hand,
  RotateCw,
  TextCursor,
  TriangleAlert,
  Unplug,
  Wrench,
  type LucideIcon,
} from 'lucide-react';
import { memo, type CSSProperties } from 'react';
import { formatDuration } from '../ui/format.ts';
import { isRightToLeft, Sentence } from '../ui/text/sentence.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { Bars, describeTimes } from './bars.tsx';
import type { TimelineRow } from './timeline-row.ts';

const icons: Record<TimelineRow['kind'], { Icon: LucideIcon; className: string }> = {
  step: { Icon: Footprints, className: 'text-ink-2' },
  thinking: { Icon: Brain, className: 'text-thinking' },
  text: { Icon: TextCursor, className: 'text-text-kind' },
  call: { Icon: Wrench, className: 'text-tool' },
  agent: { Icon: Bot, className: 'text-thinking' },
  'sub-call': { Icon: CornerDownRight, className: 'text-tool' },
  approval: { Icon: Hand, className: 'text-warn' },
  retry: { Icon: RotateCw, className: 'text-warn' },
  broken: { Icon: Unplug, className: 'text-danger' },
  nudge: { Icon: CornerDownRight, className: 'text-text-kind' },
  warning: { Icon: TriangleAlert, className: 'text-warn' },
  error: { Icon: CircleAlert, className: 'text-danger' },
};

/** From this level on, rows are not moved further to the right. */
const DEEPEST = 6;
/** The longest detail that a hint shows, in characters. */
const MAX_HINT_LENGTH = 300;

const chevron = 'size-3.5 text-ink-3';

/** The columns of every row: label, axis, duration. */
export const columns =
  'grid grid-cols-[var(--label)_minmax(0,1fr)_var(--duration)] [--label:240px] [--duration:72px] narrow:[--label:168px] narrow:[--duration:64px]';

type WaterfallRowProps = {
  row: TimelineRow;
  id: string;
  index: number;
  isFolded: boolean;
  isSelected: boolean;
  /** True for the row with the keyboard focus. */
  isActive: boolean;
  /** The time now; the same for a row that is over, so that it is not drawn again. */
  now: number;
};

/** One row of the waterfall: its name, its time and its duration. */
export const WaterfallRow = memo(function WaterfallRow(props: WaterfallRowProps) {
  const { row, id, index, isFolded, isSelected, isActive, now } = props;
  const { kind, level, hasChildren } = row;
  const label = visibleText(row.label);
  const detail = row.detail && visibleText(row.detail.slice(0, MAX_HINT_LENGTH));
  const { Icon, className } = icons[kind];
  const times = visibleText(describeTimes(row, now));
  const hasFailed = row.failed && kind === 'call';
  const hint = detail === undefined ? label : `${label}: ${detail}`;
  return (
    <div
      role="row"
      id={id}
      aria-level={level}
      aria-rowindex={index + 2}
      aria-expanded={hasChildren ? !isFolded : undefined}
      aria-selected={isSelected}
      data-row={index}
      data-kind={kind}
      className={clsx(
        columns,
        'h-[26px] text-sm hover:bg-hover aria-selected:bg-selected narrow:h-11',
        isActive &&
          'group-focus-visible/tree:outline-2 group-focus-visible/tree:-outline-offset-2 group-focus-visible/tree:outline-focus',
      )}
    >
      <div
        role="rowheader"
        title={hint}
        style={{ '--depth': Math.min(level, DEEPEST) - 1 } as CSSProperties}
        className="pl-[calc(8px+var(--depth)*12px)] narrow:pl-[calc(6px+var(--depth)*8px)] flex min-w-0 cursor-pointer items-center gap-1.5 border-r border-line pr-2"
      >
        <span
          data-fold={hasChildren || undefined}
          className="-my-2 -ml-1 grid h-full w-5 shrink-0 place-items-center narrow:w-6"
        >
          {hasChildren &&
            (isFolded ? <ChevronRight className={chevron} /> : <ChevronDown className={chevron} />)}
        </span>
        <Icon aria-hidden className={clsx('size-3.5 shrink-0', row.failed ? 'text-danger' : className)} />
        {/* the name may take the whole width, and the detail gets the rest */}
        <span className="flex min-w-0 items-center gap-1.5 overflow-hidden">
          <bdi
            className={clsx(
              'shrink-0 truncate',
              hasFailed ? 'max-w-[calc(100%-20px)]' : 'max-w-full',
              kind === 'step' ? 'font-medium' : 'text-ink-2',
            )}
          >
            {label}
          </bdi>
          {hasFailed && <CircleAlert aria-label="Failed" className="size-3.5 shrink-0 text-danger" />}
          {detail !== undefined && (
            <span className="min-w-0 truncate text-ink-3 narrow:hidden">
              {isRightToLeft(detail) ? <bdi>{detail}</bdi> : <Sentence text={detail} />}
            </span>
          )}
        </span>
      </div>
      <div role="gridcell" aria-label={times} title={times} className="cursor-crosshair overflow-hidden px-2">
        <div className="relative h-full">
          <Bars row={row} />
        </div>
      </div>
      <div role="gridcell" className="cursor-pointer self-center pr-3 text-right text-ink-2 narrow:pr-2">
        {row.segments.length > 0 && formatDuration(durationOf(row, now))}
      </div>
    </div>
  );
});

/** How long it took: for a call the time for which its tool ran, as everywhere, otherwise the whole bar. */
function durationOf({ kind, start, end, segments }: TimelineRow, now: number): number {
  const isCall = kind === 'call' || kind === 'agent';
  const ran = isCall ? segments.find((one) => one.kind === 'running' || one.kind === 'failed') : undefined;
  return ran === undefined ? (end ?? now) - start : (ran.end ?? now) - ran.start;
}
