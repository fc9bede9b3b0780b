import type { IndexedDbStorage, StoredRun } from '@cueline/react/indexeddb';
import { clsx } from 'clsx';
import { Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { guestDesk } from '../remote-prompts.ts';
import { Button } from '../ui/button.tsx';

type ConversationsProps = {
  currentId: string;
  /** When it changes, the stored runs have changed, too. */
  status: string;
  storage: IndexedDbStorage;
};

/** The stored conversations, the latest first, and a button for a new one. */
export function Conversations({ currentId, status, storage }: ConversationsProps) {
  const [stored, setStored] = useState<StoredRun[]>([]);
  useEffect(() => {
    let isShown = true;
    const show = (runs: StoredRun[]): void => {
      if (isShown) setStored(runs.filter(({ name }) => name === guestDesk.name));
    };
    // without a storage there is no list; the run says why
    storage.list().then(show, () => {});
    return () => {
      isShown = false;
    };
  }, [storage, currentId, status]);

  return (
    <nav
      aria-label="Conversations"
      className="scroll flex w-60 shrink-0 flex-col gap-1 border-r border-line bg-panel p-3 narrow:w-full narrow:flex-row narrow:border-r-0 narrow:border-b narrow:p-2"
    >
      <Button
        className="mb-2 narrow:mb-0"
        onClick={() => {
          location.hash = `/chat/${Date.now().toString(36)}`;
        }}
      >
        <Plus aria-hidden />
        New conversation
      </Button>
      {stored.length === 0 && (
        <p className="px-3 py-1.5 text-sm text-ink-3 narrow:self-center">Kept in this browser.</p>
      )}
      {stored.map(({ id, startedAt }) => (
        <a
          key={id}
          href={`#/${id}`}
          aria-current={id === currentId ? 'page' : undefined}
          className={clsx(
            'flex min-h-8 shrink-0 items-center rounded-md px-3 hover:bg-hover narrow:min-h-11',
            id === currentId ? 'bg-hover' : 'text-ink-2',
          )}
        >
          {new Date(startedAt).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}
        </a>
      ))}
    </nav>
  );
}
