import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { isSameJson } from '../input/same-json.ts';
import {
  editKept,
  openDocument,
  ownDocument,
  reopenDocument,
  restoreDocument,
  type Documents,
  type KeptDocument,
} from '../state/documents/documents.ts';
import { followTabs, persistDocuments, type WithUnreadable } from '../state/documents/persist-documents.ts';
import { newId } from '../state/new-id.ts';
import type { Values } from './check-prompts.ts';
import {
  emptyPrompt,
  freeId,
  nextVersion,
  type EditableParameter,
  type EditablePrompt,
} from './editable-prompt.ts';
import { samplePrompts, sampleValues } from './sample-prompts.ts';
import {
  mergePrompts,
  readStoredPrompts,
  toContent,
  type PromptEntry,
  type PromptsContent,
  type SharedPrompts,
} from './stored-prompts.ts';

export type PromptsState = WithUnreadable & {
  /** The id of the document that is shown. */
  id: string;
  /** True once the user has edited the prompts that are shown. */
  isOwn: boolean;
  entries: readonly PromptEntry[];
  /** The key of the entry that is edited. */
  selected: string;
  /** The values in the form, by prompt id. */
  values: Readonly<Record<string, Values>>;
  /**
   * The id under which the values of a renamed entry are, by its key, while its new id is that of other values. A new
   * id is typed letter by letter and may be that of another prompt meanwhile.
   */
  valuesUnder: Readonly<Record<string, string>>;
  /** The user's own prompts that those of a link or a file replaced, the latest last. */
  previous: readonly KeptDocument<PromptsContent>[];
  /** The tab beside the form. */
  tab: 'preview' | 'run' | 'compare';
  /** The key of the version that is compared. */
  compared: string | undefined;

  select(key: string): void;
  edit(change: Partial<EditablePrompt>): void;
  setValue(name: string, value: string): void;
  addPrompt(): void;
  addVersion(): void;
  /** Returns a function that puts the version back, also while other prompts are shown. */
  remove(key: string): () => void;
  /** Shows the prompts of a link or a file. The user's own are kept for {@link PromptsState.restore}. */
  replace(shared: SharedPrompts): void;
  restore(): void;
  /** Returns a function that shows again what is shown now or, with `onlyOwn`, the user's own before it. */
  keepShown(): (onlyOwn: boolean) => void;
};

const initial: KeptDocument<PromptsContent> = {
  id: 'own',
  isOwn: false,
  content: toContent('own', { prompts: samplePrompts, selected: 1, values: sampleValues }),
};

function documentsOf({
  id,
  isOwn,
  entries,
  selected,
  values,
  previous,
}: PromptsState): Documents<PromptsContent> {
  return { shown: { id, isOwn, content: { entries, selected, values } }, previous };
}

function show({ shown: { id, isOwn, content }, previous }: Documents<PromptsContent>): Partial<PromptsState> {
  return { id, isOwn, ...content, previous, compared: undefined };
}

const persistence = persistDocuments({
  name: 'cueline:prompts',
  read: readStoredPrompts,
  merge: mergePrompts,
  documentsOf,
  show,
});

export const usePrompts = create<PromptsState>()(
  persist(
    (set, get) => ({
      id: initial.id,
      isOwn: initial.isOwn,
      ...initial.content,
      previous: [],
      hasUnreadable: false,
      valuesUnder: {},
      tab: 'preview',
      compared: undefined,

      select: (key) => set({ selected: key }),
      edit: (change) => {
        const { entries, selected } = get();
        const next = entries.map((entry) =>
          entry.key === selected ? { ...entry, prompt: { ...entry.prompt, ...change } } : entry,
        );
        const moved = change.id === undefined ? {} : withValuesUnder(get(), change.id);
        set({ isOwn: true, entries: next, ...moved });
      },
      setValue: (name, value) => {
        const { values } = get();
        const { id } = entryOf(get()).prompt;
        set({ isOwn: true, values: { ...values, [id]: { ...valuesOf(get(), id), [name]: value } } });
      },
      addPrompt: () => {
        const { entries } = get();
        const id = freeId(
          'new-prompt',
          entries.map(({ prompt }) => prompt.id),
        );
        const key = newId();
        set({ isOwn: true, entries: [...entries, { key, prompt: emptyPrompt(id) }], selected: key });
      },
      addVersion: () => {
        const { entries } = get();
        const { key, prompt } = entryOf(get());
        const taken = entries
          .filter((entry) => entry.prompt.id === prompt.id)
          .map((entry) => entry.prompt.version);
        const added: PromptEntry = {
          key: newId(),
          prompt: { ...prompt, version: nextVersion(prompt.version, taken), status: 'draft' },
        };
        const at = entries.findIndex((entry) => entry.key === key) + 1;
        set({
          isOwn: true,
          entries: [...entries.slice(0, at), added, ...entries.slice(at)],
          selected: added.key,
          compared: key,
        });
      },
      remove: (key) => {
        const { id, entries, selected } = get();
        if (entries.length === 1) return () => {};
        const at = entries.findIndex((entry) => entry.key === key);
        const removed = entries.slice(at, at + 1);
        const left = entries.filter((entry) => entry.key !== key);
        set({
          isOwn: true,
          entries: left,
          ...(selected === key ? { selected: left[Math.min(at, left.length - 1)]!.key } : {}),
        });
        return () => {
          const restored = (content: Pick<PromptsContent, 'entries'>) => ({
            entries: content.entries.toSpliced(at, 0, ...removed),
            selected: key,
          });
          if (get().id === id) set(restored(get()));
          else set({ previous: editKept(get().previous, id, restored) });
        };
      },
      replace: (next) => {
        const opened = openDocument(
          documentsOf(get()),
          ({ entries, values }) =>
            isSameJson(
              entries.map(({ prompt }) => prompt),
              next.prompts,
            ) && isSameJson({ ...values, ...next.values }, values),
          (id, own) => {
            const content = toContent(id, next);
            if (own === undefined) return content;
            const { key } = own.entries[next.selected] ?? own.entries[0]!;
            return { ...own, selected: key };
          },
        );
        set({ ...show(opened), tab: 'preview' });
      },
      restore: () => set(show(restoreDocument(documentsOf(get())))),
      keepShown: () => {
        const { tab } = get();
        const documents = documentsOf(get());
        return (onlyOwn) => {
          const shown = onlyOwn ? ownDocument(documents, initial) : documents.shown;
          set({ ...show(reopenDocument(documentsOf(get()), shown)), tab });
        };
      },
    }),
    persistence,
  ),
);

followTabs(usePrompts, persistence, ({ entries, values }, state) => ({
  entries: isSameJson(state.entries, entries) ? state.entries : entries,
  values: isSameJson(state.values, values) ? state.values : values,
  selected: entryOf({ entries, selected: state.selected }).key,
}));

/** The version that is edited. */
export function entryOf({ entries, selected }: Pick<PromptsState, 'entries' | 'selected'>): PromptEntry {
  return entries.find(({ key }) => key === selected) ?? entries[0]!;
}

const noValues: Values = {};

/** Takes the values of the edited prompt along to its new id, unless that is the id of other values or prompts. */
function withValuesUnder(
  state: PromptsState,
  id: string,
): Partial<Pick<PromptsState, 'values' | 'valuesUnder'>> {
  const { key, prompt } = entryOf(state);
  const { entries, values } = state;
  const { [key]: before = prompt.id, ...valuesUnder } = state.valuesUnder;
  if (id === before) return { valuesUnder };
  const others = new Set(entries.filter((entry) => entry.key !== key).map((entry) => entry.prompt.id));
  if (others.has(id) || Object.hasOwn(values, id)) {
    return { valuesUnder: { ...valuesUnder, [key]: before } };
  }
  if (!Object.hasOwn(values, before)) return { valuesUnder };
  const { [before]: own = noValues, ...left } = values;
  return { valuesUnder, values: { ...(others.has(before) ? values : left), [id]: own } };
}

/** The values in the form of a prompt, whose id may be a name that every object has, such as `constructor`. */
export function valuesOf({ values }: Pick<PromptsState, 'values'>, id: string): Values {
  return (Object.hasOwn(values, id) ? values[id] : undefined) ?? noValues;
}

/** The prompts that are shown, as a link has them. Values of other prompts stay here. */
export function sharedOf({
  entries,
  selected,
  values,
}: Pick<PromptsState, 'entries' | 'selected' | 'values'>): SharedPrompts {
  const ids = new Set(entries.map(({ prompt }) => prompt.id));
  return {
    prompts: entries.map(({ prompt }) => prompt),
    selected: Math.max(
      0,
      entries.findIndex(({ key }) => key === selected),
    ),
    values: Object.fromEntries(Object.entries(values).filter(([id]) => ids.has(id))),
  };
}

/** One of the two lists of parameters of a prompt. */
export type ParameterList = 'systemPromptParameters' | 'userPromptParameters';

/** A change of a parameter; what is undefined is left out. */
export type ParameterChange = { [Key in keyof EditableParameter]?: EditableParameter[Key] | undefined };

export function editParameter(list: ParameterList, index: number, change: ParameterChange): void {
  const { prompt } = entryOf(usePrompts.getState());
  const next = prompt[list].map((one, at) =>
    at === index ? cleaned({ ...one, ...change } as EditableParameter) : one,
  );
  usePrompts.getState().edit({ [list]: next });
}

export function addParameter(list: ParameterList, name: string): void {
  const { prompt } = entryOf(usePrompts.getState());
  usePrompts.getState().edit({ [list]: [...prompt[list], { name, type: 'string' }] });
}

export function removeParameter(list: ParameterList, index: number): void {
  const { prompt } = entryOf(usePrompts.getState());
  usePrompts.getState().edit({ [list]: prompt[list].filter((_, at) => at !== index) });
}

/** Without members that are undefined. */
function cleaned(parameter: EditableParameter): EditableParameter {
  return Object.fromEntries(
    Object.entries(parameter).filter(([, value]) => value !== undefined),
  ) as EditableParameter;
}
