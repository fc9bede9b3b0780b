import { isSameJson } from '../input/same-json.ts';
import {
  mergeDocuments,
  readDocuments,
  type KeptDocument,
  type ReadContent,
  type StoredDocuments,
} from '../state/documents/documents.ts';
import { freeKey, mergeItems } from '../state/documents/merge-items.ts';
import { mergeValues } from '../state/documents/merge-values.ts';
import { newId } from '../state/new-id.ts';
import { isRecord } from '../ui/data/is-record.ts';
import type { Values } from './check-prompts.ts';
import { nextVersion, readEditablePrompts, readOwnPrompts, type EditablePrompt } from './editable-prompt.ts';
import { samplePrompts } from './sample-prompts.ts';

/** A version in the list; `key` stays when its id and its version are edited. */
export type PromptEntry = { readonly key: string; readonly prompt: EditablePrompt };

/** The content of a link to prompts. */
export type SharedPrompts = {
  readonly prompts: readonly EditablePrompt[];
  /** The position of the version that is shown. */
  readonly selected: number;
  /** By prompt id. */
  readonly values: Readonly<Record<string, Values>>;
};

/** The prompts of one document. */
export type PromptsContent = {
  readonly entries: readonly PromptEntry[];
  /** The key of the entry that is edited. */
  readonly selected: string;
  readonly values: Readonly<Record<string, Values>>;
};

/** The prompts as a document. Their keys are the same in every tab that makes a document of this id of them. */
export function toContent(id: string, { prompts, selected, values }: SharedPrompts): PromptsContent {
  const entries = prompts.map((prompt, index) => ({ key: `${id}-${index}`, prompt }));
  return { entries, selected: (entries[selected] ?? entries[0]!).key, values };
}

/** Merges the prompts of this tab into those that another one has stored, version by version. */
export function mergePrompts(
  base: StoredDocuments<PromptsContent>,
  mine: StoredDocuments<PromptsContent>,
  theirs: StoredDocuments<PromptsContent>,
): StoredDocuments<PromptsContent> {
  return mergeDocuments(base, mine, theirs, (before, own, other) => {
    const all = [...own.entries, ...other.entries].map(({ prompt }) => prompt);
    const entries = mergeItems(
      before?.entries ?? [],
      own.entries,
      other.entries,
      ({ key }) => key,
      (_, mineEntry, { prompt }) => {
        // both tabs have edited this version: the other one's text becomes a version of its own
        const taken = all.filter(({ id }) => id === prompt.id).map(({ version }) => version);
        const copy = { ...prompt, version: nextVersion(prompt.version, taken) };
        all.push(copy);
        return [mineEntry, { key: newId(), prompt: copy }];
      },
    );
    return {
      entries: entries.length === 0 ? own.entries : entries,
      selected: own.selected === before?.selected ? other.selected : own.selected,
      values: mergeValues(before?.values, own.values, other.values, 2),
    };
  });
}

/** Reads the stored prompts; undefined if the value has none. */
export function readStoredPrompts(value: unknown): StoredDocuments<PromptsContent> | undefined {
  return readDocuments(value, readContent) ?? readEarlierFormat(value);
}

function readContent(value: unknown): ReadContent<PromptsContent> {
  if (!isRecord(value) || !Array.isArray(value.entries)) return { content: undefined };
  const entries = new Map<string, PromptEntry>();
  const unreadable: unknown[] = [];
  for (const one of value.entries as unknown[]) {
    const entry = isRecord(one) ? one : {};
    const prompt = readOwnPrompts([entry.prompt])?.[0];
    if (typeof entry.key !== 'string' || prompt === undefined) {
      unreadable.push(one);
      continue;
    }
    const key = freeKey(entry.key, entries);
    entries.set(key, { key, prompt });
  }
  const [first] = entries.keys();
  if (first === undefined) return { content: undefined };
  const { selected } = value;
  const content = {
    entries: [...entries.values()],
    selected: typeof selected === 'string' && entries.has(selected) ? selected : first,
    values: readValues(value.values),
  };
  return unreadable.length === 0 ? { content } : { content, unreadable: { ...value, entries: unreadable } };
}

/** The first version of the page stored the prompts of a link, and the user's own as `previous`. */
function readEarlierFormat(value: unknown): StoredDocuments<PromptsContent> | undefined {
  const { shared, previous } = (value ?? {}) as Record<string, unknown>;
  const shown = readOwnShared(shared);
  if (shown === undefined) return undefined;
  const toDocument = (id: string, content: SharedPrompts): KeptDocument<PromptsContent> => ({
    id,
    isOwn: !isSameJson(content.prompts, samplePrompts),
    content: toContent(id, content),
  });
  const own = readOwnShared(previous);
  if (own === undefined) return { documents: [toDocument('own', shown)], shown: 'own' };
  return { documents: [toDocument('own', own), toDocument('opened', shown)], shown: 'opened' };
}

/** Reads the prompts of a link; undefined if their shape is invalid, or if they are too large. */
export function readShared(value: unknown): SharedPrompts | undefined {
  return readWith(readEditablePrompts, value);
}

/** Reads prompts that this page has kept, with texts of any length; undefined if their shape is invalid. */
export function readOwnShared(value: unknown): SharedPrompts | undefined {
  return readWith(readOwnPrompts, value);
}

function readWith(readList: typeof readOwnPrompts, value: unknown): SharedPrompts | undefined {
  if (!isRecord(value)) return undefined;
  const { prompts, selected, values } = value;
  const read = readList(prompts);
  if (read === undefined) return undefined;
  return {
    prompts: read,
    selected: typeof selected === 'number' && read[selected] !== undefined ? selected : 0,
    values: readValues(values),
  };
}

const MAX_VALUES = 1_000;

function readValues(value: unknown): Record<string, Values> {
  const entries = isRecord(value) ? Object.entries(value).slice(0, MAX_VALUES) : [];
  return Object.fromEntries(entries.flatMap(([id, own]) => (isRecord(own) ? [[id, textsIn(own)]] : [])));
}

function textsIn(values: Readonly<Record<string, unknown>>): Values {
  const entries = Object.entries(values).slice(0, MAX_VALUES);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
