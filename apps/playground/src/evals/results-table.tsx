import { clsx } from 'clsx';
import { memo, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Chevron } from '../ui/chevron.tsx';
import { summarize } from '../ui/format.ts';
import { visibleText } from '../ui/visible-text.ts';
import { CaseResults } from './case-results.tsx';
import { modelTitle, type Cell, type Column, type Row } from './result-rows.ts';
import { StatusIcon } from './status-icon.tsx';
import { useEvals } from './store.ts';

/** How many rows are drawn at first, and with each press of the button. */
const PAGE = 100;

/** Cases × versions and models. A row unfolds to its answers. */
export function ResultsTable({ columns, rows }: { columns: readonly Column[]; rows: readonly Row[] }) {
  const unfolded = useEvals((state) => state.unfolded);
  const [shown, setShown] = useState(PAGE);
  if (rows.length === 0) return <p className="px-4 pb-4 text-ink-2">No case matches this filter.</p>;
  return (
    <div className="scroll px-4 pb-4 narrow:px-3">
      <table
        style={{ minWidth: 120 * (columns.length + 1) }}
        className="w-full table-fixed border-separate border-spacing-0 overflow-hidden rounded-lg border border-line bg-panel"
      >
        <thead>
          <tr className="text-left text-sm text-ink-2">
            <th scope="col" className="w-[34%] border-b border-line px-3 py-1.5 align-top font-medium">
              Case
            </th>
            {columns.map(({ key, prompt, model }) => (
              <th
                key={key}
                scope="col"
                className="border-b border-line px-3 py-1.5 align-top font-medium wrap-anywhere"
              >
                <span className="block font-mono">
                  {visibleText(prompt.slice(prompt.lastIndexOf('@') + 1))}
                </span>
                <span className="block font-normal text-ink-3">{visibleText(modelTitle(model))}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row) => (
            <ResultRow key={row.id} row={row} columns={columns} open={row.id === unfolded} />
          ))}
        </tbody>
      </table>
      {rows.length > shown && (
        <Button variant="outline" className="mt-2" onClick={() => setShown(shown + PAGE)}>
          Show more cases ({rows.length - shown} left)
        </Button>
      )}
    </div>
  );
}

const ResultRow = memo(
  function ResultRow({ row, columns, open }: { row: Row; columns: readonly Column[]; open: boolean }) {
    const line = Object.values(row.input).join(' · ');
    return (
      <>
        <tr className={clsx('group', open && 'bg-raised')} data-testid="result-row" data-case={row.id}>
          <th scope="row" className="border-b border-line p-0 text-left align-top font-normal">
            <button
              type="button"
              aria-expanded={open}
              onClick={() => useEvals.setState({ unfolded: open ? undefined : row.id })}
              className="flex w-full items-start gap-1.5 px-2 py-1.5 text-left hover:bg-hover focus-visible:-outline-offset-2 narrow:min-h-11"
            >
              <Chevron open={open} className="mt-[3px] size-3.5" />
              <span className="min-w-0">
                <span className="block font-medium wrap-anywhere">{visibleText(row.id)}</span>
                <span dir="auto" className="line-clamp-2 text-sm wrap-anywhere text-ink-2">
                  {visibleText(summarize(line, 120))}
                </span>
              </span>
            </button>
          </th>
          {row.cells.map((cell, index) => (
            <td key={columns[index]!.key} className="border-b border-line px-3 py-1.5 align-top">
              <CellSummary cell={cell} />
            </td>
          ))}
        </tr>
        {open && (
          <tr>
            <td colSpan={columns.length + 1} className="border-b border-line bg-raised p-3">
              <CaseResults row={row} columns={columns} />
            </td>
          </tr>
        )}
      </>
    );
  },
  // every batch of results creates new rows; a row with the same results is not drawn again
  (one, other) =>
    one.open === other.open &&
    one.columns.length === other.columns.length &&
    one.row.id === other.row.id &&
    one.row.expect === other.row.expect &&
    one.row.cells.every((cell, column) => {
      const next = other.row.cells[column];
      return next?.length === cell.length && cell.every((result, index) => result === next[index]);
    }),
);

/** How many icons a cell has; more repetitions are a count. */
const MAX_ICONS = 5;

function CellSummary({ cell }: { cell: Cell }) {
  const shown =
    cell.find((result) => result !== undefined && result.status !== 'passed') ?? cell.find(Boolean);
  const text = visibleText(shown?.output?.text ?? shown?.error?.message ?? '');
  const ended = cell.filter((result) => result !== undefined).length;
  const passed = cell.filter((result) => result?.status === 'passed').length;
  return (
    <div className="min-w-0">
      <div className="flex h-5 items-center gap-0.5">
        {cell.length <= MAX_ICONS ? (
          cell.map((result, index) => <StatusIcon key={index} result={result} />)
        ) : (
          <span className={clsx(passed < ended ? 'text-danger' : ended === cell.length && 'text-ok')}>
            {ended > 0 && `${passed} of ${ended} passed`}
            {ended > 0 && ended < cell.length && ', '}
            {ended < cell.length && `${cell.length - ended} not run`}
          </span>
        )}
      </div>
      <span
        dir={shown?.output === undefined ? 'ltr' : 'auto'}
        className={clsx(
          'line-clamp-3 text-sm wrap-anywhere',
          shown?.status === 'error' ? 'text-danger' : 'text-ink-2',
        )}
        title={text}
      >
        {summarize(text, 80)}
      </span>
    </div>
  );
}
