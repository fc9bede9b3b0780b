import type { StoreApi } from 'zustand';
import type { PersistOptions } from 'zustand/middleware';
import { createStorage, type BatchedStorage } from '../storage.ts';
import { reportStorage } from '../store.ts';
import { fromStored, toStored, type Documents, type StoredDocuments } from './documents.ts';
import { createMirror } from './mirror.ts';

const mirror = createMirror();

type DocumentsOptions<State, Content> = {
  /** The key in `localStorage`. */
  name: string;
  /** Returns stored documents in the present format, or undefined if the value has no documents. */
  read: (stored: unknown) => StoredDocuments<Content> | undefined;
  /** Merges the documents of this tab into those that another one has stored. */
  merge: (
    base: StoredDocuments<Content>,
    mine: StoredDocuments<Content>,
    theirs: StoredDocuments<Content>,
  ) => StoredDocuments<Content>;
  documentsOf: (state: State) => Documents<Content>;
  /** Returns the change of the state that shows these documents. */
  show: (documents: Documents<Content>) => Partial<State>;
};

/** Part of a store of documents. */
export type WithUnreadable = {
  /** True if something is stored that this version of the page cannot read, and so does not show. */
  hasUnreadable: boolean;
};

type DocumentPersistence<State, Content> = PersistOptions<State, StoredDocuments<Content>> & {
  storage: BatchedStorage<StoredDocuments<Content>>;
  partialize: (state: State) => StoredDocuments<Content>;
};

/** How a zustand store keeps its documents in `localStorage`, where those of several tabs are merged. */
export function persistDocuments<State extends WithUnreadable, Content>({
  name,
  read,
  merge,
  documentsOf,
  show,
}: DocumentsOptions<State, Content>): DocumentPersistence<State, Content> {
  return {
    name,
    version: 1,
    storage: createStorage<StoredDocuments<Content>>({
      onProblem: reportStorage,
      mirror,
      merge: (base, mine, stored) => {
        const theirs = read(stored);
        return theirs === undefined ? { ...mine, unreadable: [stored] } : merge(base, mine, theirs);
      },
    }),
    partialize: (state) => toStored(documentsOf(state)),
    merge: (stored, current) => {
      const documents = read(stored);
      if (documents === undefined) return { ...current, hasUnreadable: stored !== undefined };
      const { shown, previous } = fromStored(documents);
      const known = { ...current, hasUnreadable: documents.unreadable !== undefined };
      return shown === undefined ? known : { ...known, ...show({ shown, previous }) };
    },
  };
}

/**
 * Merges the documents of a store with those of the other tabs from now on. `contentChange` returns the change of the
 * state that shows the content that another tab has stored.
 */
export function followTabs<
  State extends { id: string; isOwn: boolean; previous: Documents<Content>['previous'] },
  Content,
>(
  store: Pick<StoreApi<State>, 'getState' | 'setState'>,
  { name, storage, partialize }: DocumentPersistence<State, Content>,
  contentChange: (content: Content, state: State) => Partial<State>,
): void {
  storage.share(name, partialize(store.getState()), (stored) => {
    const state = store.getState();
    const { shown, previous } = fromStored(stored, state.id);
    // another tab does not keep what came from a link to this one
    const change =
      shown === undefined
        ? {}
        : { isOwn: state.isOwn || shown.isOwn, ...contentChange(shown.content, state) };
    store.setState({ ...state, ...change, previous });
  });
}
