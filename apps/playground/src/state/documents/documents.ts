import { isRecord } from '../../ui/data/is-record.ts';
import { newId } from '../new-id.ts';
import { freeKey, mergeItems } from './merge-items.ts';

/** What a view edits: all prompts of the Prompts view, or the eval. */
export type KeptDocument<Content> = {
  readonly id: string;
  /** True for what the user has edited. What came from a link or a file is not their own until then. */
  readonly isOwn: boolean;
  readonly content: Content;
};

/** The document that a tab shows, and the user's own documents that it replaced, the latest last. */
export type Documents<Content> = {
  readonly shown: KeptDocument<Content>;
  readonly previous: readonly KeptDocument<Content>[];
};

/** All documents as they are stored; `shown` is the id of the one that the next visit shows. */
export type StoredDocuments<Content> = {
  readonly documents: readonly KeptDocument<Content>[];
  readonly shown: string;
  /**
   * The documents, and documents with the parts of others, that this version of the page cannot read. They stay
   * stored as they are, for a version that can. Missing if everything can be read.
   */
  readonly unreadable?: readonly unknown[];
};

/** What could be read of a stored content, and the same content with only the parts that could not. */
export type ReadContent<Content> = {
  readonly content: Content | undefined;
  readonly unreadable?: unknown;
};

/**
 * Shows the content of a link or a file. If the user has the same among their own documents, that one is shown, and is
 * passed to `toContent`.
 */
export function openDocument<Content>(
  { shown, previous }: Documents<Content>,
  isSame: (content: Content) => boolean,
  toContent: (id: string, own: Content | undefined) => Content,
): Documents<Content> {
  const own = shown.isOwn ? [...previous, shown] : previous;
  const known = own.find(({ content }) => isSame(content));
  const id = known?.id ?? newId();
  return {
    shown: { id, isOwn: known !== undefined, content: toContent(id, known?.content) },
    previous: own.filter((one) => one !== known),
  };
}

/** Shows the user's own document that was replaced last; one that is their own, too, can be restored after it. */
export function restoreDocument<Content>(documents: Documents<Content>): Documents<Content> {
  const { shown, previous } = documents;
  const last = previous.at(-1);
  if (last === undefined) return documents;
  return { shown: last, previous: [...(shown.isOwn ? [shown] : []), ...previous.slice(0, -1)] };
}

/** The user's own document: the one that is shown, or the last one that it replaced, or else `initial`. */
export function ownDocument<Content>(
  { shown, previous }: Documents<Content>,
  initial: KeptDocument<Content>,
): KeptDocument<Content> {
  return shown.isOwn ? shown : (previous.at(-1) ?? initial);
}

/** Shows a document again that another one has replaced. */
export function reopenDocument<Content>(
  { shown, previous }: Documents<Content>,
  document: KeptDocument<Content>,
): Documents<Content> {
  if (shown.id === document.id) return { shown, previous };
  const others = previous.filter(({ id }) => id !== document.id);
  return {
    // another tab may have changed it
    shown: previous.find(({ id }) => id === document.id) ?? document,
    previous: shown.isOwn ? [...others, shown] : others,
  };
}

/** Changes the kept document `id`, if it is still kept. */
export function editKept<Content extends object>(
  previous: readonly KeptDocument<Content>[],
  id: string,
  change: (content: Content) => Partial<Content>,
): KeptDocument<Content>[] {
  return previous.map((one) =>
    one.id === id ? { ...one, content: { ...one.content, ...change(one.content) } } : one,
  );
}

export function toStored<Content>({ shown, previous }: Documents<Content>): StoredDocuments<Content> {
  return { documents: [...previous, shown], shown: shown.id };
}

/** Returns what a tab shows that has the document `id` open; without an id, the one that was shown last. */
export function fromStored<Content>(
  { documents, shown: last }: StoredDocuments<Content>,
  id = last,
): { readonly shown: KeptDocument<Content> | undefined } & Pick<Documents<Content>, 'previous'> {
  return {
    shown: documents.find((one) => one.id === id),
    previous: documents.filter((one) => one.isOwn && one.id !== id),
  };
}

/** Reads stored documents; undefined if the value is no list of documents. */
export function readDocuments<Content>(
  value: unknown,
  readContent: (value: unknown) => ReadContent<Content>,
): StoredDocuments<Content> | undefined {
  const stored = isRecord(value) ? value : {};
  if (!Array.isArray(stored.documents)) return undefined;
  const documents = new Map<string, KeptDocument<Content>>();
  const unreadable: unknown[] = [];
  const before: unknown[] = Array.isArray(stored.unreadable) ? stored.unreadable : [];
  for (const one of [...(stored.documents as unknown[]), ...before]) {
    const document = isRecord(one) ? one : {};
    const read = readContent(document.content);
    if (typeof document.id !== 'string' || read.content === undefined) {
      unreadable.push(one);
      continue;
    }
    const id = freeKey(document.id, documents);
    documents.set(id, { id, isOwn: document.isOwn === true, content: read.content });
    if (read.unreadable !== undefined) unreadable.push({ ...document, content: read.unreadable });
  }
  const { shown } = stored;
  const isKnown = typeof shown === 'string' && documents.has(shown);
  return {
    documents: [...documents.values()],
    shown: isKnown ? shown : ([...documents.keys()].at(-1) ?? ''),
    ...(unreadable.length === 0 ? {} : { unreadable }),
  };
}

/** Merges the documents of this tab into those that another one has stored since `base`. */
export function mergeDocuments<Content>(
  base: StoredDocuments<Content>,
  mine: StoredDocuments<Content>,
  theirs: StoredDocuments<Content>,
  mergeContent: (base: Content | undefined, mine: Content, theirs: Content) => Content,
): StoredDocuments<Content> {
  const shown = mine.shown === base.shown ? theirs.shown : mine.shown;
  const documents = mergeItems(
    base.documents,
    mine.documents,
    theirs.documents,
    ({ id }) => id,
    (old, { id, isOwn, content }, other) => [
      {
        id,
        isOwn: isOwn || other.isOwn,
        content: mergeContent(old?.content, content, other.content),
      },
    ],
  );
  return { ...theirs, documents: documents.filter(({ id, isOwn }) => isOwn || id === shown), shown };
}
