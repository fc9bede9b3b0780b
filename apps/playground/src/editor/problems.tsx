import { clsx } from 'clsx';
import { Check, ChevronRight, CircleAlert, LoaderCircle, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { usePlayground } from '../state/store.ts';
import { plural } from '../ui/format.ts';
import { visibleText } from '../ui/visible-text.ts';
import { leaveEditorKeys } from './leave-editor-keys.ts';

/** `warning`: worth a look, but the script can run. */
export type Diagnostic = { line: number; column: number; message: string; warning?: boolean };

/** The problems of the script with this id; undefined if it has not been checked and no run has found any. */
export type Checked = { id: string; diagnostics: readonly Diagnostic[] | undefined };

/** How many problems are listed; the first ones usually cause the rest. */
const MAX_LISTED = 50;

/**
 * The editor's status line and, unfolded, every problem with its position. `diagnostics` is undefined until checked.
 */
export function Problems({ diagnostics }: { diagnostics: readonly Diagnostic[] | undefined }) {
  const [folded, setFolded] = useState(false);
  const showLine = usePlayground((state) => state.showLine);
  const count = diagnostics?.length ?? 0;
  const onlyWarnings = diagnostics?.every(({ warning }) => warning === true) ?? false;
  const found = count === 0 ? 'No problems' : plural(count, onlyWarnings ? 'warning' : 'problem');
  const status = diagnostics === undefined ? 'Checking types' : found;
  return (
    <footer className="shrink-0 border-t border-line bg-panel text-sm text-ink-2">
      {count > 0 && !folded && (
        <ul
          className="scroll max-h-36 border-b border-line py-1"
          aria-label="Problems"
          data-testid="problems"
        >
          {diagnostics?.slice(0, MAX_LISTED).map(({ line, column, message }, index) => (
            <li key={index}>
              <button
                type="button"
                onClick={() => showLine(line, column)}
                className="flex w-full items-baseline gap-3 px-4 py-1 text-left hover:bg-hover focus-visible:-outline-offset-2 narrow:min-h-11"
              >
                <span className="w-12 shrink-0 text-ink-3">
                  {line}:{column}
                </span>
                <span className="line-clamp-2 min-w-0 wrap-anywhere text-ink">{visibleText(message)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="flex h-7 items-center gap-2 px-4 narrow:h-11">
        {count === 0 ? (
          <span className="flex items-center gap-1.5">
            {diagnostics === undefined ? (
              <LoaderCircle className="size-3.5 animate-spin text-ink-3" />
            ) : (
              <Check className="size-3.5 text-ok" />
            )}
            {status}
          </span>
        ) : (
          <button
            type="button"
            aria-expanded={!folded}
            onClick={() => setFolded(!folded)}
            className={clsx(
              '-ml-1 flex h-6 items-center gap-1.5 rounded px-1 font-medium narrow:h-11',
              onlyWarnings ? 'text-warn' : 'text-danger',
            )}
          >
            {onlyWarnings ? <TriangleAlert className="size-3.5" /> : <CircleAlert className="size-3.5" />}
            {status}
            <ChevronRight className={clsx('size-3.5 transition-transform', !folded && 'rotate-90')} />
          </button>
        )}
        <span className="ml-auto text-ink-3 pointer-coarse:hidden">
          {leaveEditorKeys} lets Tab leave the editor
        </span>
      </div>
    </footer>
  );
}
