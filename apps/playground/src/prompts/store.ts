import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { createStorage } from '../state/storage.ts';
import { reportStorage } from '../state/store.ts';
import type { Values } from './check-prompts.ts';
import {
  emptyPrompt,
  freeId,
  nextVersion,
  readEditablePrompts,
  type EditableParameter,
  type EditablePrompt,
} from './editable-prompt.ts';
import { samplePrompts, sampleValues } from './sample-prompts.ts';

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

export type PromptsState = {
  entries: readonly PromptEntry[];
  /** The key of the entry that is edited. */
  selected: string;
  /** The values in the form, by prompt id. */
  values: Readonly<Record<string, Values>>;
  /** The user's own prompts, while those of a link or a file are shown. */
  previous: SharedPrompts | undefined;
  /** The tab beside the form. */
  tab: 'preview' | 'run' | 'compare';
  /** The key of the version that is compared. */
  compared: string | undefined;

  select(key: string): void;
  edit(change: Partial<EditablePrompt>): void;
  setValue(name: string, value: string): void;
  addPrompt(): void;
  addVersion(): void;
  remove(key: string): void;
  /** Replaces all prompts. The user's own are kept for {@link PromptsState.restore}. */
  replace(shared: SharedPrompts): void;
  restore(): void;
};

type Stored = Pick<PromptsState, 'values' | 'previous'> & { shared: SharedPrompts };

let nextKey = 1;
const toEntries = (prompts: readonly EditablePrompt[]): PromptEntry[] =>
  prompts.map((prompt) => ({ key: String(nextKey++), prompt }));

const sample: SharedPrompts = { prompts: samplePrompts, selected: 1, values: sampleValues };

function opened({
  prompts,
  selected,
  values,
}: SharedPrompts): Pick<PromptsState, 'entries' | 'selected' | 'values'> {
  const entries = toEntries(prompts);
  return { entries, selected: (entries[selected] ?? entries[0]!).key, values };
}

const storage = createStorage<Stored>({ onProblem: reportStorage });

export const usePrompts = create<PromptsState>()(
  persist(
    (set, get) => ({
      ...opened(sample),
      previous: undefined,
      tab: 'preview',
      compared: undefined,

      select: (key) => set({ selected: key }),
      edit: (change) => {
        const { entries, selected, values } = get();
        const before = entryOf(get()).prompt.id;
        const { id } = change;
        set({
          entries: entries.map((entry) =>
            entry.key === selected ? { ...entry, prompt: { ...entry.prompt, ...change } } : entry,
          ),
          // the values of a prompt stay with it when its id is edited
          ...(id !== undefined && values[before] !== undefined && values[id] === undefined
            ? { values: { ...values, [id]: values[before] } }
            : {}),
        });
      },
      setValue: (name, value) => {
        const { values } = get();
        const { id } = entryOf(get()).prompt;
        set({ values: { ...values, [id]: { ...values[id], [name]: value } } });
      },
      addPrompt: () => {
        const { entries } = get();
        const id = freeId(
          'new-prompt',
          entries.map(({ prompt }) => prompt.id),
        );
        const added = toEntries([emptyPrompt(id)]);
        set({ entries: [...entries, ...added], selected: added[0]!.key });
      },
      addVersion: () => {
        const { entries } = get();
        const { key, prompt } = entryOf(get());
        const taken = entries
          .filter((entry) => entry.prompt.id === prompt.id)
          .map((entry) => entry.prompt.version);
        const added = toEntries([
          { ...prompt, version: nextVersion(prompt.version, taken), status: 'draft' },
        ]);
        const at = entries.findIndex((entry) => entry.key === key) + 1;
        set({
          entries: [...entries.slice(0, at), ...added, ...entries.slice(at)],
          selected: added[0]!.key,
          compared: key,
        });
      },
      remove: (key) => {
        const { entries, selected } = get();
        if (entries.length === 1) return;
        const at = entries.findIndex((entry) => entry.key === key);
        const left = entries.filter((entry) => entry.key !== key);
        set({
          entries: left,
          ...(selected === key ? { selected: left[Math.min(at, left.length - 1)]!.key } : {}),
        });
      },
      replace: (next) => {
        const { previous } = get();
        const mine = previous ?? sharedOf(get());
        set({
          ...opened(next),
          ...(isSample(mine) || JSON.stringify(mine.prompts) === JSON.stringify(next.prompts)
            ? {}
            : { previous: mine }),
          tab: 'preview',
          compared: undefined,
        });
      },
      restore: () => {
        const { previous } = get();
        if (previous !== undefined) set({ ...opened(previous), previous: undefined });
      },
    }),
    {
      name: 'cueline:prompts',
      version: 1,
      storage,
      partialize: (state): Stored => ({
        shared: sharedOf(state),
        values: state.values,
        previous: state.previous,
      }),
      merge: (stored, initial) => ({ ...initial, ...readStored(stored) }),
    },
  ),
);

/** The version that is edited. */
export function entryOf({ entries, selected }: Pick<PromptsState, 'entries' | 'selected'>): PromptEntry {
  return entries.find(({ key }) => key === selected) ?? entries[0]!;
}

/** The content of a link to the prompts. */
export function sharedOf({ entries, selected, values }: PromptsState): SharedPrompts {
  return {
    prompts: entries.map(({ prompt }) => prompt),
    selected: Math.max(
      0,
      entries.findIndex(({ key }) => key === selected),
    ),
    values,
  };
}

function isSample({ prompts }: SharedPrompts): boolean {
  return JSON.stringify(prompts) === JSON.stringify(samplePrompts);
}

/** Reads prompts from a link or from storage; undefined if their shape is invalid. */
export function readShared(value: unknown): SharedPrompts | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { prompts, selected, values } = value as Record<string, unknown>;
  const read = readEditablePrompts(prompts);
  if (read === undefined) return undefined;
  return {
    prompts: read,
    selected: typeof selected === 'number' && read[selected] !== undefined ? selected : 0,
    values: readValues(values),
  };
}

const MAX_VALUES = 1_000;

function readValues(value: unknown): Record<string, Values> {
  const isObject = (one: unknown): one is Record<string, unknown> => typeof one === 'object' && one !== null;
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_VALUES)
      .flatMap(([id, own]) =>
        isObject(own)
          ? [
              [
                id,
                Object.fromEntries(
                  Object.entries(own)
                    .slice(0, MAX_VALUES)
                    .filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
                ),
              ],
            ]
          : [],
      ),
  );
}

function readStored(value: unknown): Partial<PromptsState> {
  if (typeof value !== 'object' || value === null) return {};
  const { shared, previous } = value as Record<string, unknown>;
  const read = readShared(shared);
  const mine = readShared(previous);
  return {
    ...(read === undefined ? {} : opened(read)),
    ...(mine === undefined ? {} : { previous: mine }),
  };
}

/** One of the two lists of parameters of a prompt. */
export type ParameterList = 'systemPromptParameters' | 'userPromptParameters';

/** A change of a parameter; what is undefined is left out. */
export type ParameterChange = { [Key in keyof EditableParameter]?: EditableParameter[Key] | undefined };

/** Changes one parameter of the edited version. */
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
