import { clsx } from 'clsx';
import {
  Check,
  CircleAlert,
  CircleStop,
  CloudOff,
  Download,
  LoaderCircle,
  Pause,
  Pencil,
  Pin,
  PinOff,
  Trash2,
  type LucideIcon,
} from 'lucide-react';
import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { Button } from '../ui/button.tsx';
import { focusFirst } from '../ui/focus-first.ts';
import { formatDuration, plural } from '../ui/format.ts';
import { isComposing } from '../ui/keys.tsx';
import { ActionsMenu } from '../ui/menu/actions-menu.tsx';
import { MenuItem } from '../ui/menu/menu-item.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { forkLabel } from './describe-run.ts';
import { formatClock, formatWhen } from './format-when.ts';
import { changeRun, reportFailure, statusNow } from './history.ts';
import type { RunRow, StoredStatus } from './rows.ts';
import { deleteRun, saveRun, type Deletion } from './run-actions.ts';

const styles: Record<StoredStatus, { Icon: LucideIcon; label: string; className: string }> = {
  running: { Icon: LoaderCircle, label: 'Running', className: 'text-go' },
  waiting: { Icon: Pause, label: 'Waiting', className: 'text-warn' },
  done: { Icon: Check, label: 'Done', className: 'text-ok' },
  error: { Icon: CircleAlert, label: 'Failed', className: 'text-danger' },
  stopped: { Icon: CircleStop, label: 'Stopped', className: 'text-ink-2' },
  interrupted: { Icon: CloudOff, label: 'Interrupted', className: 'text-warn' },
};

type RunRowProps = {
  row: RunRow;
  /** The run that it is a fork of, if it is stored. */
  parent: RunRow | undefined;
  isInProgress: boolean;
  isShown: boolean;
  /** The id of the run whose menu button takes the focus as soon as the run is drawn again. */
  nextFocusRef: RefObject<string | undefined>;
  onOpen: () => void;
  onDeleted: (deletion: Deletion | undefined) => void;
};

/** A stored run: what ran, how it ended, and its actions. */
export function RunRowItem({
  row,
  parent,
  isInProgress,
  isShown,
  nextFocusRef,
  onOpen,
  onDeleted,
}: RunRowProps) {
  const [isNaming, setNaming] = useState(false);
  const item = useRef<HTMLLIElement>(null);
  const { id, title, pinned, status, model, steps, turns, elapsed, startedOn, hasLog } = row;
  const { Icon, label, className } = styles[statusNow(id, status, new Set(isInProgress ? [id] : []))];
  const facts = [
    visibleText(model.name),
    plural(steps, 'step'),
    ...(turns > 1 ? [plural(turns, 'turn')] : []),
    formatDuration(elapsed),
  ];
  const fork = forkLabel(row, parent);
  const time = pinned ? formatWhen(startedOn) : formatClock(startedOn);
  useLayoutEffect(() => {
    if (isNaming || nextFocusRef.current !== id) return;
    nextFocusRef.current = undefined;
    item.current?.querySelector<HTMLElement>('[aria-haspopup=menu]')?.focus();
  }, [isNaming, id, nextFocusRef]);
  const endNaming = (): void => {
    nextFocusRef.current = id;
    setNaming(false);
  };
  if (isNaming) return <TitleForm row={row} onEnd={endNaming} />;
  return (
    <li ref={item} className="flex items-center">
      <button
        type="button"
        onClick={onOpen}
        aria-current={isShown || undefined}
        data-testid="stored-run"
        className={clsx(
          'flex min-w-0 flex-1 items-start gap-2.5 rounded-md px-2 py-1.5 text-left hover:bg-hover narrow:min-h-11',
          isShown && 'bg-hover',
        )}
      >
        <Icon aria-hidden className={clsx('mt-[3px] size-3.5 shrink-0', className)} />
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span className="truncate font-medium">{visibleText(title)}</span>
            <span className="ml-auto shrink-0 text-sm text-ink-3 tabular-nums">{time}</span>
          </span>
          <span className="block truncate text-sm text-ink-2 tabular-nums">
            <span className={className}>{label}</span>
            {facts.map((fact) => (
              <span key={fact}> · {fact}</span>
            ))}
          </span>
          {fork !== undefined && <span className="block truncate text-sm text-ink-3">{fork}</span>}
          {!hasLog && (
            <span className="block text-sm text-ink-3">
              Its log was over 16 MB, so only the script is kept.
            </span>
          )}
        </span>
        {pinned && <Pin role="img" aria-label="Pinned" className="mt-[3px] size-3.5 shrink-0 text-ink-3" />}
      </button>
      <RowMenu
        row={row}
        isInProgress={isInProgress}
        nextFocusRef={nextFocusRef}
        onRename={() => setNaming(true)}
        onDeleted={onDeleted}
      />
    </li>
  );
}

type RowMenuProps = Pick<RunRowProps, 'row' | 'isInProgress' | 'nextFocusRef' | 'onDeleted'> & {
  onRename: () => void;
};

function RowMenu({ row, isInProgress, nextFocusRef, onRename, onDeleted }: RowMenuProps) {
  const { id, title, pinned, hasLog } = row;
  const changePinned = (): void => {
    // the row moves to another section
    nextFocusRef.current = id;
    void changeRun(id, { pinned: !pinned }).catch(reportUnchanged);
  };
  return (
    <ActionsMenu label={`More about ${visibleText(title)}`} width="w-44">
      <MenuItem Icon={Pencil} onSelect={onRename}>
        Rename
      </MenuItem>
      <MenuItem Icon={pinned ? PinOff : Pin} onSelect={changePinned}>
        {pinned ? 'Unpin' : 'Pin'}
      </MenuItem>
      <MenuItem Icon={Download} disabled={!hasLog} onSelect={() => void saveRun(row)}>
        Export
      </MenuItem>
      <MenuItem
        Icon={Trash2}
        // a run that is in progress would be stored again
        disabled={isInProgress}
        onSelect={() => void deleteRun(row).then(onDeleted)}
      >
        Delete
      </MenuItem>
    </ActionsMenu>
  );
}

function reportUnchanged(error: unknown): void {
  reportFailure('This run could not be changed', error);
}

/** The row's title as a field: Enter keeps it, Escape does not. */
function TitleForm({ row: { id, title }, onEnd }: { row: RunRow; onEnd: () => void }) {
  const [text, setText] = useState(title);
  const save = (): void => {
    const trimmed = text.trim();
    if (trimmed !== '' && trimmed !== title) void changeRun(id, { title: trimmed }).catch(reportUnchanged);
    onEnd();
  };
  return (
    <li>
      <form
        className="flex gap-1.5 px-2 py-1.5"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <input
          ref={focusFirst}
          aria-label={`Title of ${visibleText(title)}`}
          value={text}
          maxLength={120}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && !isComposing(event.nativeEvent)) onEnd();
          }}
          className="h-7 min-w-0 flex-1 rounded-md border border-line-strong/70 bg-page px-2.5 text-base narrow:h-11 narrow:text-[16px]"
        />
        <Button type="submit" variant="outline">
          Rename
        </Button>
      </form>
    </li>
  );
}
