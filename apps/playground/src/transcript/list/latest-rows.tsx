import type { ShownRun } from '../../state/shown-run.ts';
import type { RunSession } from '../../state/store.ts';
import { ListItemView } from './list-item-view.tsx';
import type { ListItem } from './list-items.ts';
import { ListContainer, ListRow, RowCount } from './list-row.tsx';

/** The least height of a row, in pixels. */
const LEAST_HEIGHT = 36;
/** A text has at least this many pixels for each of its characters. */
const LEAST_PER_CHARACTER = 0.15;

/** The last rows of a list, and their place in it. */
export type RowWindow = { items: readonly ListItem[]; first: number; count: number };

type LatestRowsProps = { latest: RowWindow; session: RunSession; shown: ShownRun };

/**
 * The last rows of a run at a moment, as many as fill a screen. They have the positions that they have in the whole
 * list at its end, but they are neither measured nor scrolled. So each moment is drawn within a frame while the user
 * drags through a run.
 */
export function LatestRows({ latest, session, shown }: LatestRowsProps) {
  const { items, first, count } = latest;
  return (
    <div className="scroll absolute inset-0 flex flex-col-reverse bg-page">
      {/* if the rows do not fill it, they start at its top */}
      <div className="mx-auto mb-auto w-full max-w-[760px] shrink-0 px-5 pt-4 pb-5 narrow:px-4">
        <RowCount value={count}>
          <ListContainer style={{}}>
            {items.map((item, index) => (
              <ListRow key={item.key} index={first + index} style={{ contain: 'layout style' }}>
                <ListItemView item={item} session={session} shown={shown} />
              </ListRow>
            ))}
          </ListContainer>
        </RowCount>
      </div>
    </div>
  );
}

/** The last rows of a list, as many as certainly fill a height in pixels. */
export function latestOf(items: readonly ListItem[], height: number): RowWindow {
  let first = items.length;
  for (let filled = 0; filled < height && first > 0; first -= 1) filled += leastHeight(items[first - 1]!);
  return { items: items.slice(first), first, count: items.length };
}

function leastHeight(item: ListItem): number {
  if (item.kind !== 'text') return LEAST_HEIGHT;
  return Math.max(LEAST_HEIGHT, item.text.length * LEAST_PER_CHARACTER);
}
