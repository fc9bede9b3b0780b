import type { Selection } from '../state/inspection.ts';

/** What happens in a part of a bar. */
export type SegmentKind =
  | 'first-token'
  | 'generating'
  | 'rest'
  | 'thinking'
  | 'text'
  | 'arguments'
  | 'asking'
  | 'running'
  | 'failed'
  | 'retrying';

/** A part of a bar, in milliseconds since the turn started; without an end while it is in progress. */
export type Segment = { kind: SegmentKind; start: number; end: number | undefined };

/** One row of the waterfall; rows come in the order of the tree, each after its parent. */
export type TimelineRow = {
  key: string;
  /** From 1. */
  level: number;
  kind:
    | 'step'
    | 'thinking'
    | 'text'
    | 'call'
    | 'agent'
    | 'sub-call'
    | 'approval'
    | 'retry'
    | 'broken'
    | 'nudge'
    | 'warning'
    | 'error';
  label: string;
  /** More about it, such as the text of a warning. */
  detail?: string;
  start: number;
  /** Missing while it is in progress. */
  end: number | undefined;
  /** Empty for a mark, which is a moment and no span. */
  segments: readonly Segment[];
  failed: boolean;
  hasChildren: boolean;
  /** What it selects: itself, or the step or call that it is a part of. */
  selection: Selection | undefined;
  /** True if the row stands for its selection, and is not only a part of it. */
  isItself: boolean;
};

/** The rows of a tree without those below a folded row. */
export function visibleRows(
  rows: readonly TimelineRow[],
  folded: ReadonlySet<string>,
): readonly TimelineRow[] {
  if (folded.size === 0) return rows;
  let hiddenBelow = Infinity;
  return rows.filter(({ key, level }) => {
    if (level > hiddenBelow) return false;
    hiddenBelow = folded.has(key) ? level : Infinity;
    return true;
  });
}

/** The row above `index` that the row at `index` belongs to; undefined for one at the top. */
export function parentOf(rows: readonly TimelineRow[], index: number): number | undefined {
  const level = rows[index]?.level ?? 1;
  for (let above = index - 1; above >= 0; above -= 1) if (rows[above]!.level < level) return above;
  return undefined;
}
