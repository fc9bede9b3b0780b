import type { EvalResult, EvalRun } from '@cueline/core/evals';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { isSameJson } from '../input/same-json.ts';
import { freeId, type EditablePrompt } from '../prompts/editable-prompt.ts';
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
import type { EditableCase, EvalSettings } from './eval-settings.ts';
import { isChosen } from './plan-eval.ts';
import { sampleEval } from './sample-eval.ts';
import { keyOf, mergeEvals, readStoredEvals, takenIds } from './stored-evals.ts';

/** The runs of one evaluation, and the results so far. */
export type Evaluation = {
  /** The settings that it was started with. */
  readonly settings: EvalSettings;
  /** The versions that ran, as they were then. */
  readonly prompts: readonly EditablePrompt[];
  readonly runs: readonly EvalRun[];
  /** The results so far, by {@link runKey}. */
  readonly results: ReadonlyMap<string, EvalResult>;
  /** True for results from a link. */
  readonly shared: boolean;
};

export type EvalsState = WithUnreadable & {
  /** The id of the document that is shown. */
  id: string;
  /** True once the user has edited the eval that is shown. */
  isOwn: boolean;
  settings: EvalSettings;
  /** The user's own evals that those of links replaced, the latest last. */
  previous: readonly KeptDocument<EvalSettings>[];
  evaluation: Evaluation | undefined;
  filter: 'all' | 'passed' | 'failed' | 'errors' | 'unstable' | 'different';
  /** Only cases that contain this text are shown. */
  search: string;
  /** The id of the case whose results are unfolded. */
  unfolded: string | undefined;

  change(change: Partial<EvalSettings>): void;
  editCase(index: number, change: Partial<EditableCase>): void;
  addCase(added?: Partial<EditableCase>): void;
  /** Makes an answer the expected answer of the case that ran with this id. */
  expectAnswer(id: string, answer: string): void;
  /** Returns a function that puts the case back, also while another eval is shown. */
  removeCase(index: number): () => void;
  /**
   * Shows the eval from a link, with the prompts that its results belong to. The user's own eval is kept for
   * {@link EvalsState.restore}.
   */
  replace(
    settings: EvalSettings,
    results: readonly EvalResult[] | undefined,
    prompts?: readonly EditablePrompt[],
  ): void;
  /** Shows the user's own eval of this prompt, or a new one without cases; the one before it is kept, too. */
  openEvalOf(prompt: string, version: string | undefined): void;
  restore(): void;
  /** Returns a function that shows again what is shown now or, with `onlyOwn`, the user's own before it. */
  keepShown(): (onlyOwn: boolean) => void;
};

const initial: KeptDocument<EvalSettings> = { id: 'own', isOwn: false, content: sampleEval };

function documentsOf({ id, isOwn, settings, previous }: EvalsState): Documents<EvalSettings> {
  return { shown: { id, isOwn, content: settings }, previous };
}

function show({
  shown: { id, isOwn, content },
  previous,
}: Documents<EvalSettings>): Pick<EvalsState, 'id' | 'isOwn' | 'settings' | 'previous'> {
  return { id, isOwn, settings: content, previous };
}

const persistence = persistDocuments({
  name: 'cueline:evals',
  read: readStoredEvals,
  merge: mergeEvals,
  documentsOf,
  show,
});

export const useEvals = create<EvalsState>()(
  persist(
    (set, get) => ({
      ...show({ shown: initial, previous: [] }),
      hasUnreadable: false,
      evaluation: undefined,
      filter: 'all',
      search: '',
      unfolded: undefined,

      change: (change) => set({ isOwn: true, settings: { ...get().settings, ...change } }),
      editCase: (index, change) => {
        const { cases } = get().settings;
        const edit = (one: EditableCase): EditableCase => {
          const isRenamed = change.id !== undefined && change.id !== one.id;
          return { ...one, ...(isRenamed ? { key: keyOf(one) } : {}), ...change };
        };
        get().change({ cases: cases.map((one, at) => (at === index ? edit(one) : one)) });
      },
      addCase: (added = {}) => {
        const { cases } = get().settings;
        const id = freeId(added.id ?? `case-${cases.length + 1}`, takenIds(cases));
        get().change({ cases: [...cases, { input: {}, expect: '', ...added, id }] });
      },
      expectAnswer: (id, answer) => get().editCase(indexOfRan(get(), id), { expect: answer }),
      removeCase: (index) => {
        const { id, settings } = get();
        const removed = settings.cases.slice(index, index + 1);
        get().change({ cases: settings.cases.toSpliced(index, 1) });
        return () => {
          const restored = ({ cases }: Pick<EvalSettings, 'cases'>) => ({
            cases: cases.toSpliced(index, 0, ...removed),
          });
          if (get().id === id) get().change(restored(get().settings));
          else set({ previous: editKept(get().previous, id, restored) });
        };
      },
      replace: (settings, results, prompts = []) => {
        const opened = openDocument(
          documentsOf(get()),
          (content) => isSameJson(content, settings),
          () => settings,
        );
        set({
          ...show(opened),
          evaluation: results === undefined ? undefined : sharedEvaluation(settings, results, prompts),
          filter: 'all',
          search: '',
          unfolded: undefined,
        });
      },
      openEvalOf: (prompt, version) => {
        const versions = version === undefined ? [] : [version];
        const fresh: EvalSettings = { ...get().settings, prompt, versions, cases: [] };
        const opened = openDocument(
          documentsOf(get()),
          (content) => content.prompt === prompt,
          (_, own) => own ?? fresh,
        );
        // the results are those of the other eval
        set({ ...show(opened), evaluation: undefined, unfolded: undefined });
      },
      restore: () => {
        const documents = documentsOf(get());
        if (documents.previous.length > 0)
          set({ ...show(restoreDocument(documents)), evaluation: undefined });
      },
      keepShown: () => {
        const { evaluation } = get();
        const documents = documentsOf(get());
        return (onlyOwn) => {
          const shown = onlyOwn ? ownDocument(documents, initial) : documents.shown;
          set({ ...show(reopenDocument(documentsOf(get()), shown)), evaluation });
        };
      },
    }),
    persistence,
  ),
);

followTabs(useEvals, persistence, (content, { settings }) => ({
  settings: isSameJson(settings, content) ? settings : content,
}));

function sharedEvaluation(
  settings: EvalSettings,
  results: readonly EvalResult[],
  prompts: readonly EditablePrompt[],
): Evaluation {
  const byKey = new Map(results.map((result) => [runKey(result), result]));
  const runs = [...byKey.values()].map(({ caseId, repetition, model, prompt }) => ({
    caseId,
    repetition,
    model,
    prompt,
  }));
  return {
    settings,
    prompts: prompts.filter((one) => isChosen(settings, one)),
    runs,
    results: byKey,
    shared: true,
  };
}

/** The position in the form of a case that ran, also if it was renamed since; -1 if it was removed. */
export function indexOfRan({ settings, evaluation }: EvalsState, id: string): number {
  const ran = evaluation?.settings.cases.find((one) => one.id === id);
  const key = ran === undefined ? id : keyOf(ran);
  return settings.cases.findIndex((one) => keyOf(one) === key);
}

/** The key of a run within its evaluation. */
export function runKey({ prompt, model, caseId, repetition }: EvalRun): string {
  return JSON.stringify([prompt, model, caseId, repetition]);
}
