import { FileUp, Search, Trash2, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useDeferredValue, useEffect, useRef, useState, type RefObject } from 'react';
import { usePlayground } from '../state/store.ts';
import { useNarrow } from '../state/theme.ts';
import { Button } from '../ui/button.tsx';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { FileInput } from '../ui/file-input.tsx';
import { focusFirst } from '../ui/focus-first.ts';
import { plural } from '../ui/format.ts';
import { IconButton, Tip } from '../ui/tip.tsx';
import { offerUndo, storageMessage, toast } from '../ui/toast.ts';
import { useReturnFocus } from '../ui/use-return-focus.ts';
import { readRuns } from './history.ts';
import { useLibrary } from './library.ts';
import { addRunFile, deleteAllRuns, deleteRuns, openStored, type Deletion } from './run-actions.ts';
import { firstRows, groupByDay, matchesQuery } from './run-groups.ts';
import { RunRowItem } from './run-row.tsx';

/** The stored runs by day, with a search. It is a sheet at the left, and on a phone the whole page. */
export function HistoryPanel({ onClose }: { onClose: () => void }) {
  const focus = useReturnFocus();
  const narrow = useNarrow();
  const content = useRef<HTMLDivElement>(null);
  const nextFocusRef = useRef<string>(undefined);
  const [deletions, setDeletions] = useState<readonly Deletion[]>([]);
  useEffect(() => void readRuns(), []);
  const close = (): void => {
    for (const { text, undo } of deletions) offerUndo(text, undo);
    onClose();
  };
  return (
    <Dialog.Root open onOpenChange={close}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-[fade_120ms_ease-out] bg-black/45 dark:bg-black/60" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            focus.onOpenAutoFocus();
            event.preventDefault();
            // on a phone, the keyboard would cover the list
            const first = content.current?.querySelector<HTMLElement>('input[type=search]');
            (narrow ? content.current : first)?.focus();
          }}
          ref={content}
          // it ends the renaming of a run, and not more
          onEscapeKeyDown={(event) => {
            if (event.target instanceof Element && event.target.closest('form') !== null)
              event.preventDefault();
          }}
          onCloseAutoFocus={focus.onCloseAutoFocus}
          className={
            'fixed inset-y-0 left-0 z-50 flex w-[400px] animate-[fade_140ms_ease-out] flex-col border-r border-line-strong/60 ' +
            'bg-panel shadow-2xl outline-none narrow:w-full narrow:border-r-0'
          }
        >
          <Header />
          <ErrorBoundary>
            <Runs
              nextFocusRef={nextFocusRef}
              onClose={close}
              onDeleted={(deletion) => deletion !== undefined && setDeletions((all) => [...all, deletion])}
            />
          </ErrorBoundary>
          <UndoBar deletions={deletions} nextFocusRef={nextFocusRef} onChange={setDeletions} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Header() {
  const hasRuns = useLibrary(({ runs }) => runs.length > 0);
  return (
    <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line pr-2 pl-4 narrow:h-14">
      <Dialog.Title className="mr-auto text-lg font-semibold">History</Dialog.Title>
      <PanelActions hasRuns={hasRuns} />
      <Dialog.Close asChild>
        <Button square aria-label="Close">
          <X />
        </Button>
      </Dialog.Close>
    </header>
  );
}

type RunsProps = {
  /** The id of the run whose menu button takes the focus as soon as the run is drawn again. */
  nextFocusRef: RefObject<string | undefined>;
  onClose: () => void;
  onDeleted: (deletion: Deletion | undefined) => void;
};

/** How many rows are drawn at once: more than a screen has. The others follow. */
const DRAWN_AT_ONCE = 40;

function Runs({ nextFocusRef, onClose, onDeleted }: RunsProps) {
  // in a task of its own, because the page draws the opened run in this one
  const closeLater = (): void => void setTimeout(onClose);
  const { runs, unreadable, isRead, problem, inProgress } = useLibrary();
  // on a phone, the message would cover the problem, which says the same
  useEffect(() => void (problem !== undefined && toast.dismiss(storageMessage)), [problem]);
  const shown = usePlayground(({ storedRuns, view }) =>
    view === 'script' ? storedRuns.script : view === 'prompts' ? storedRuns.prompts : undefined,
  );
  const [query, setQuery] = useState('');
  const found = runs.filter((run) => matchesQuery(run, query));
  const drawn = Math.max(useDeferredValue(found.length, 0), DRAWN_AT_ONCE);
  return (
    <>
      <div className="relative shrink-0 border-b border-line px-4 py-2.5">
        <Search aria-hidden className="absolute top-1/2 left-6.5 size-3.5 -translate-y-1/2 text-ink-3" />
        <input
          type="search"
          aria-label="Search runs"
          placeholder="Search titles and scripts"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className="h-7 w-full rounded-md border border-line-strong/70 bg-page pr-2.5 pl-8 text-base placeholder:text-ink-3 narrow:h-11 narrow:text-[16px]"
        />
      </div>
      <p role="status" className="sr-only">
        {isRead && plural(found.length, 'run')}
      </p>
      <div className="scroll min-h-0 flex-1 pb-4">
        {problem !== undefined && (
          <p className="mx-4 mt-3 rounded-lg bg-warn-soft px-3 py-2 text-warn">
            {problem} New runs are gone once the tab is closed.
          </p>
        )}
        {isRead && found.length === 0 && (runs.length > 0 || problem === undefined) && (
          <p className="px-4 py-6 text-ink-2">
            {runs.length === 0
              ? 'No runs yet. Every run of a script or a prompt is kept here, in this browser only.'
              : 'No run matches.'}
          </p>
        )}
        {firstRows(groupByDay(found), drawn).map(({ title, rows }) => (
          <section key={title} aria-label={title}>
            <h3 className="px-4 pt-4 pb-1 text-sm font-medium text-ink-3">{title}</h3>
            <ul className="px-2">
              {rows.map((row) => (
                <RunRowItem
                  key={row.id}
                  row={row}
                  parent={runs.find(({ id }) => id === row.parent?.id)}
                  isInProgress={inProgress.has(row.id)}
                  isShown={row.id === shown}
                  nextFocusRef={nextFocusRef}
                  onOpen={() => void openStored(row).then((opened) => opened && closeLater())}
                  onDeleted={onDeleted}
                />
              ))}
            </ul>
          </section>
        ))}
        {unreadable.length > 0 && (
          <div className="mx-4 mt-3 flex items-center justify-between gap-3 rounded-lg bg-warn-soft px-3 py-2 text-warn">
            <p>This version of the page cannot read {plural(unreadable.length, 'stored run')}.</p>
            <Button
              variant="outline"
              onClick={() =>
                void deleteRuns(unreadable, 'What could not be read is deleted.').then(onDeleted)
              }
            >
              Delete
            </Button>
          </div>
        )}
      </div>
      {problem === undefined && (
        <p className="shrink-0 border-t border-line px-4 py-2 text-sm text-ink-3">
          The last 200 runs are kept in this browser, and all pinned ones.
        </p>
      )}
    </>
  );
}

type UndoBarProps = Pick<RunsProps, 'nextFocusRef'> & {
  deletions: readonly Deletion[];
  onChange: (deletions: readonly Deletion[]) => void;
};

/**
 * Offers to undo the last deletion. While the dialog is open, a message over the page is out of reach of the
 * keyboard.
 */
function UndoBar({ deletions, nextFocusRef, onChange }: UndoBarProps) {
  const last = deletions.at(-1);
  return (
    <div role="status">
      {last !== undefined && (
        <p className="flex items-center justify-between gap-3 border-t border-line bg-raised px-4 py-2">
          <span className="min-w-0 wrap-anywhere">{last.text}</span>
          <Button
            key={deletions.length}
            variant="outline"
            ref={focusFirst}
            onClick={() => {
              nextFocusRef.current = last.ids[0];
              onChange(deletions.slice(0, -1));
              void last.undo();
            }}
          >
            Undo
          </Button>
        </p>
      )}
    </div>
  );
}

/** Import, and the deletion of all runs, which asks first. */
function PanelActions({ hasRuns }: { hasRuns: boolean }) {
  const file = useRef<HTMLInputElement>(null);
  /** False after the question was answered: its button takes the focus again. */
  const [asks, setAsks] = useState<boolean>();
  if (asks === true) {
    return (
      <span role="group" aria-label="Delete all runs" className="flex items-center gap-1">
        <Button
          variant="danger"
          ref={focusFirst}
          onClick={() => {
            setAsks(false);
            void deleteAllRuns();
          }}
        >
          Delete all runs
        </Button>
        <Button onClick={() => setAsks(false)}>Keep</Button>
      </span>
    );
  }
  return (
    <>
      <IconButton label="Import a run" onClick={() => file.current?.click()}>
        <FileUp />
      </IconButton>
      <Tip text="Delete all runs">
        <Button
          ref={asks === false ? focusFirst : undefined}
          square
          aria-label="Delete all runs…"
          disabled={!hasRuns}
          onClick={() => setAsks(true)}
        >
          <Trash2 />
        </Button>
      </Tip>
      <FileInput ref={file} label="Run file" accept=".json" onFile={(chosen) => void addRunFile(chosen)} />
    </>
  );
}
