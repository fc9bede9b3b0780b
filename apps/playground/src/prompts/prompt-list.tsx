import { clsx } from 'clsx';
import { CircleAlert } from 'lucide-react';
import { visibleText } from '../ui/visible-text.ts';
import type { PromptFault } from './check-prompts.ts';
import { StatusBadge } from './status-badge.tsx';
import type { PromptEntry } from './stored-prompts.ts';

type PromptListProps = {
  entries: readonly PromptEntry[];
  selected: string;
  faults: ReadonlyMap<number, readonly PromptFault[]>;
  onSelect: (key: string) => void;
};

/** The prompts with their versions. */
export function PromptList({ entries, selected, faults, onSelect }: PromptListProps) {
  const groups = new Map<string, [PromptEntry, number][]>();
  for (const [index, entry] of entries.entries()) {
    const { id } = entry.prompt;
    groups.set(id, [...(groups.get(id) ?? []), [entry, index]]);
  }
  return (
    <nav
      aria-label="Versions"
      className="scroll w-[clamp(128px,35%,196px)] shrink-0 border-r border-line bg-page p-2"
    >
      {[...groups].map(([id, versions]) => (
        <div key={versions[0]![0].key} className="mb-3">
          <p className="truncate px-2 pb-0.5 font-mono text-sm text-ink-2" title={visibleText(id)}>
            {visibleText(id) || '(no id)'}
          </p>
          <ul>
            {versions.map(([{ key, prompt }, index]) => (
              <li key={key}>
                <button
                  type="button"
                  aria-current={key === selected}
                  onClick={() => onSelect(key)}
                  className={clsx(
                    'flex h-7 w-full items-center gap-2 rounded-md px-2 text-left',
                    key === selected ? 'bg-hover font-medium text-ink' : 'text-ink-2 hover:bg-hover',
                  )}
                >
                  <span className="truncate">{visibleText(prompt.version) || '(none)'}</span>
                  <span className="ml-auto flex shrink-0 items-center gap-1.5">
                    {faults.has(index) && (
                      <CircleAlert aria-label="has faults" className="size-3.5 text-danger" />
                    )}
                    <StatusBadge status={prompt.status} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
