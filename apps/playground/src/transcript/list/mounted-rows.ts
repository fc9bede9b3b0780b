import type { Selection } from '../../state/inspection.ts';
import type { ListItem } from './list-items.ts';

/** Lists up to this length are on the page as a whole: a browser's search finds everything in them. */
export const WHOLE = 60;
/** The same for a list that a browser's search looks through. */
export const SEARCHED = 1_000;
/** Rows at the end of a longer list that are always on the page: a jump in time shows them at once. */
const AT_END = 4;

type MountedOptions = {
  /** How many rows there are. */
  length: number;
  /** How many of the rows are to be on the page in any case, counted from the end. */
  drawn: number;
  /** True if the drawn rows count from the beginning. */
  fromStart: boolean;
  /** Rows that the user has pressed, and rows with the focus. */
  touched: readonly number[];
  /** The first and the last row with selected text. */
  marked: readonly [first: number, last: number] | undefined;
  /** The row that is selected, or the one around it; -1 for none. */
  selected: number;
};

/** The indexes of the rows that stay on the page when they are out of view. */
export function mountedRows(options: MountedOptions): number[] {
  const { length, drawn, fromStart, touched, marked, selected } = options;
  const count = Math.min(length, Math.max(drawn, AT_END));
  const first = fromStart ? 0 : length - count;
  const rows = new Set(range(first, first + count - 1));
  for (const index of touched) if (index < length) rows.add(index);
  if (marked !== undefined)
    for (const index of range(marked[0], Math.min(marked[1], length - 1))) rows.add(index);
  if (selected >= 0) rows.add(selected);
  return [...rows].filter((index) => index >= 0);
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** The place of a selected step or call among the rows, or of the agent's card that it is in; -1 for none. */
export function rowOfSelection(items: readonly ListItem[], selection: Selection | undefined): number {
  if (selection === undefined || selection.kind === 'definition') return -1;
  return items.findLastIndex((item) => isRowOf(item, selection));
}

function isRowOf(item: ListItem, selection: Exclude<Selection, { kind: 'definition' }>): boolean {
  const { turn, agent, step } = selection;
  if (!('turn' in item) || item.turn !== turn) return false;
  if (item.kind === 'step') {
    return selection.kind === 'step' && agent === undefined && item.step.step === step;
  }
  if (item.kind === 'inner') return isWithin(agent, item.agent.path);
  if (agent === undefined) {
    return (
      selection.kind === 'call' && item.call.toolCallId === selection.toolCallId && item.call.step === step
    );
  }
  if (item.kind === 'agent') return isWithin(agent, item.agent.path);
  return item.inner.some((inner) => isWithin(agent, inner.agent.path));
}

/** True if an agent is at this path or below it. */
function isWithin(agent: string | undefined, path: string): boolean {
  return agent !== undefined && (agent === path || agent.startsWith(`${path}/`));
}
