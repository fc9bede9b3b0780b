import { clsx } from 'clsx';
import {
  Check,
  CircleAlert,
  CircleDashed,
  CircleStop,
  GitFork,
  LoaderCircle,
  Pause,
  type LucideIcon,
} from 'lucide-react';
import { useRef, type KeyboardEvent } from 'react';
import { plural } from '../ui/format.ts';
import { visibleText } from '../ui/visible-text.ts';
import { forkTree, type ForkItem, type ForkNode } from './fork-item.ts';

const styles: Record<ForkItem['status'], { Icon: LucideIcon; label: string; className: string }> = {
  idle: { Icon: CircleDashed, label: 'Starting', className: 'text-ink-2' },
  running: { Icon: LoaderCircle, label: 'Running', className: 'text-go animate-spin' },
  waiting: { Icon: Pause, label: 'Waiting', className: 'text-warn' },
  done: { Icon: Check, label: 'Done', className: 'text-ok' },
  error: { Icon: CircleAlert, label: 'Failed', className: 'text-danger' },
  stopped: { Icon: CircleStop, label: 'Stopped', className: 'text-ink-3' },
};

export type ForkTreeProps = {
  items: readonly ForkItem[];
  /** The id of the run that is shown. */
  shown: string | undefined;
  onShow: (id: string) => void;
};

/** Runs and their forks, as a list with branch lines. A press shows a run; arrow keys move between them. */
export function ForkTree({ items, shown, onShow }: ForkTreeProps) {
  const list = useRef<HTMLElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    buttons[Math.max(0, Math.min(buttons.length - 1, at + step))]?.focus();
  };
  return (
    <nav
      ref={list}
      aria-label="Runs and their forks"
      data-testid="forks"
      className="scroll max-h-36 shrink-0 border-b border-line bg-panel px-2 py-1"
    >
      <Branch nodes={forkTree(items)} shown={shown} onShow={onShow} onMove={move} depth={0} />
    </nav>
  );
}

/** Deeper branches are drawn at this depth, so that their titles stay readable. */
const DEEPEST = 6;

type BranchProps = Pick<ForkTreeProps, 'shown' | 'onShow'> & {
  nodes: readonly ForkNode[];
  onMove: (event: KeyboardEvent) => void;
  depth: number;
};

function Branch({ nodes, shown, onShow, onMove, depth }: BranchProps) {
  if (nodes.length === 0) return null;
  return (
    <ul className={clsx(depth > 0 && depth <= DEEPEST && 'ml-[15px] border-l border-line-strong')}>
      {nodes.map((node) => {
        const { Icon, label, className } = styles[node.status];
        return (
          <li key={node.id}>
            <div className="flex items-center">
              {depth > 0 && <span aria-hidden className="h-px w-2.5 shrink-0 bg-line-strong" />}
              <button
                type="button"
                aria-current={node.id === shown ? 'true' : undefined}
                onClick={() => onShow(node.id)}
                onKeyDown={onMove}
                className="flex h-7 min-w-0 flex-1 items-center gap-2 rounded-md px-2 text-left text-sm text-ink-2 hover:bg-hover aria-current:bg-selected aria-current:font-medium aria-current:text-ink narrow:h-11"
              >
                <GitFork aria-hidden className={clsx('size-3.5 shrink-0', depth === 0 && 'hidden')} />
                <span className="min-w-0 truncate">{visibleText(node.title)}</span>
                <span className="ml-auto flex shrink-0 items-center gap-1.5 pl-2 font-normal text-ink-2">
                  {node.steps > 0 && (
                    <span className="text-ink-3 narrow:hidden">{plural(node.steps, 'step')}</span>
                  )}
                  <Icon aria-hidden className={clsx('size-3.5', className)} />
                  {label}
                </span>
              </button>
            </div>
            <Branch nodes={node.forks} shown={shown} onShow={onShow} onMove={onMove} depth={depth + 1} />
          </li>
        );
      })}
    </ul>
  );
}
