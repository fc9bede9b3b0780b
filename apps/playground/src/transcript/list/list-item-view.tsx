import type { ShownRun } from '../../state/shown-run.ts';
import type { RunSession } from '../../state/store.ts';
import { ConsoleFold } from '../console-fold.tsx';
import { SafeRow } from '../row.tsx';
import { InputRow } from '../rows.tsx';
import { RunSummary } from '../run-summary.tsx';
import { inputOf, type ListItem } from './list-items.ts';

type ListItemProps = { item: ListItem; session: RunSession; shown: ShownRun };

/** What a row of the list draws. */
export function ListItemView({ item, session, shown }: ListItemProps) {
  if (item.kind !== 'surrounding') return <SafeRow item={item} session={session} />;
  if (item.key === 'input') return <InputRow input={inputOf(session)} />;
  if (item.key === 'console') return <ConsoleFold />;
  return <RunSummary session={session} shown={shown} />;
}
