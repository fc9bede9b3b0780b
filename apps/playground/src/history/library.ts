import { useMemo } from 'react';
import { create } from 'zustand';
import { nameOf } from '../state/open-script.ts';
import { unsavedScripts, usePlayground } from '../state/store.ts';
import { formatWhen } from './format-when.ts';
import type { RunRow, ScriptRow } from './rows.ts';

/** The part of the database that the lists of the page show. */
export type Library = {
  scripts: readonly ScriptRow[];
  /** True if scripts are stored that cannot be read. */
  hasUnreadableScripts: boolean;
  runs: readonly RunRow[];
  /** The ids of the stored runs that cannot be read. */
  unreadable: readonly string[];
  /** The runs that are in progress in any tab. */
  inProgress: ReadonlySet<string>;
  /** True once the database was read. */
  isRead: boolean;
  /** Why the database cannot be used, in a sentence: scripts and runs are only in memory. */
  problem: string | undefined;
};

/** The scripts and runs in the database, as they were last read. */
export const useLibrary = create<Library>()(() => ({
  scripts: [],
  hasUnreadableScripts: false,
  runs: [],
  unreadable: [],
  inProgress: new Set<string>(),
  isRead: false,
  problem: undefined,
}));

/** A script of the user in a list. */
export type ListedScript = { readonly id: string; readonly name: string; readonly detail: string };

/** The user's scripts: first those whose text is not stored yet, then the stored ones, the last changed first. */
export function useListedScripts(): readonly ListedScript[] {
  const stored = useLibrary((state) => state.scripts);
  const openScript = usePlayground((state) => state.openScript);
  const script = usePlayground((state) => state.script);
  const leftUnsaved = usePlayground((state) => state.leftUnsaved);
  return useMemo(() => {
    const unsaved = unsavedScripts({ openScript, script, leftUnsaved });
    const ids = new Set(unsaved.map(({ open }) => open.id));
    return [
      ...unsaved.map((one) => ({ id: one.open.id, name: nameOf(one), detail: 'Not stored yet' })),
      ...stored
        .filter(({ id }) => !ids.has(id))
        .map((row) => ({
          id: row.id,
          name: nameOf({ open: { ...row, kept: true }, text: row.text }),
          detail: formatWhen(row.updatedOn),
        })),
    ];
  }, [stored, openScript, script, leftUnsaved]);
}
