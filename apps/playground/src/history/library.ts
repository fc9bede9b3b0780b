import { create } from 'zustand';
import type { RunRow, ScriptRow } from './rows.ts';

/** The part of the database that the lists of the page show. */
export type Library = {
  scripts: readonly ScriptRow[];
  runs: readonly RunRow[];
  /** The runs that are under way in any tab. */
  underWay: ReadonlySet<string>;
  /** True once the database was read. */
  isRead: boolean;
  /** True if the database cannot be used: scripts and runs are only in memory. */
  isBlocked: boolean;
};

/** The scripts and runs in the database, as they were last read. */
export const useLibrary = create<Library>()(() => ({
  scripts: [],
  runs: [],
  underWay: new Set<string>(),
  isRead: false,
  isBlocked: false,
}));
