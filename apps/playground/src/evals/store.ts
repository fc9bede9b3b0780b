import type { EvalResult, EvalRun } from '@cueline/core/evals';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { createStorage } from '../state/storage.ts';
import { reportStorage } from '../state/store.ts';
import { freeId } from '../prompts/editable-prompt.ts';
import { readEvalSettings, type EditableCase, type EvalSettings } from './eval-settings.ts';
import { sampleEval } from './sample-eval.ts';

/** The runs of one evaluation, and the results so far. */
export type Evaluation = {
  /** The settings that it was started with. */
  readonly settings: EvalSettings;
  readonly runs: readonly EvalRun[];
  /** The results so far, by {@link runKey}. */
  readonly results: ReadonlyMap<string, EvalResult>;
  /** True for results from a link. */
  readonly shared: boolean;
};

export type EvalsState = {
  settings: EvalSettings;
  /** The user's own eval, while one from a link is shown. */
  previous: EvalSettings | undefined;
  evaluation: Evaluation | undefined;
  filter: 'all' | 'passed' | 'failed' | 'errors' | 'unstable' | 'different';
  /** Only cases that contain this text are shown. */
  search: string;
  /** The id of the case whose results are unfolded. */
  unfolded: string | undefined;

  change(change: Partial<EvalSettings>): void;
  editCase(index: number, change: Partial<EditableCase>): void;
  addCase(added?: Partial<EditableCase>): void;
  removeCase(index: number): void;
  /** Shows the eval from a link. The user's own eval is kept for {@link EvalsState.restore}. */
  replace(settings: EvalSettings, results: readonly EvalResult[] | undefined): void;
  restore(): void;
};

const storage = createStorage<Pick<EvalsState, 'settings' | 'previous'>>({ onProblem: reportStorage });

export const useEvals = create<EvalsState>()(
  persist(
    (set, get) => ({
      settings: sampleEval,
      previous: undefined,
      evaluation: undefined,
      filter: 'all',
      search: '',
      unfolded: undefined,

      change: (change) => set({ settings: { ...get().settings, ...change } }),
      editCase: (index, change) => {
        const { cases } = get().settings;
        get().change({ cases: cases.map((one, at) => (at === index ? { ...one, ...change } : one)) });
      },
      addCase: (added = {}) => {
        const { cases } = get().settings;
        const taken = cases.map(({ id }) => id);
        const id = freeId(added.id ?? `case-${cases.length + 1}`, taken);
        get().change({ cases: [...cases, { input: {}, expect: '', ...added, id }] });
      },
      removeCase: (index) => {
        const { cases } = get().settings;
        get().change({ cases: cases.filter((_, at) => at !== index) });
      },
      replace: (settings, results) => {
        const { settings: current, previous } = get();
        const mine = previous ?? current;
        const isOwn = ![sampleEval, settings].some((one) => JSON.stringify(one) === JSON.stringify(mine));
        set({
          settings,
          ...(isOwn ? { previous: mine } : {}),
          evaluation: results === undefined ? undefined : sharedEvaluation(settings, results),
          filter: 'all',
          search: '',
          unfolded: undefined,
        });
      },
      restore: () => {
        const { previous } = get();
        if (previous !== undefined) set({ settings: previous, previous: undefined, evaluation: undefined });
      },
    }),
    {
      name: 'cueline:evals',
      version: 1,
      storage,
      partialize: ({ settings, previous }) => ({ settings, previous }),
      merge: (stored, initial) => {
        const { settings, previous } = (stored ?? {}) as Record<string, unknown>;
        return {
          ...initial,
          settings: readEvalSettings(settings) ?? initial.settings,
          previous: readEvalSettings(previous),
        };
      },
    },
  ),
);

function sharedEvaluation(settings: EvalSettings, results: readonly EvalResult[]): Evaluation {
  const byKey = new Map(results.map((result) => [runKey(result), result]));
  const runs = [...byKey.values()].map(({ caseId, repetition, model, prompt }) => ({
    caseId,
    repetition,
    model,
    prompt,
  }));
  return { settings, runs, results: byKey, shared: true };
}

/** The key of a run within its evaluation. */
export function runKey({ prompt, model, caseId, repetition }: EvalRun): string {
  return JSON.stringify([prompt, model, caseId, repetition]);
}
