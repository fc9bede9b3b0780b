import { useMemo } from 'react';
import { showSession } from '../state/run-session.ts';
import type { RunSession } from '../state/store.ts';
import { forkItems } from './fork-item.ts';
import { ForkTree } from './fork-tree.tsx';
import { useForks } from './store.ts';

/** The tree of a session, if the session has forks or is a fork itself. */
export function SessionForks({ session }: { session: RunSession }) {
  const kept = useForks((state) => state.kept);
  const items = useMemo(() => forkItems(kept, session.id), [kept, session.id]);
  if (items.length < 2) return null;
  const show = (id: string): void => {
    const chosen = kept.find((one) => one.session.id === id)?.session;
    if (chosen !== undefined && id !== session.id) showSession(chosen);
  };
  return <ForkTree items={items} shown={session.id} onShow={show} />;
}
