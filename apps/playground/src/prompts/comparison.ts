import { createRun } from '@cueline/core';
import type { WatchedRun } from '@cueline/react';
import { create } from 'zustand';
import { promptExecutor } from '../state/run-executors.ts';
import { libraryOf, toInput, type Values } from './check-prompts.ts';
import type { EditablePrompt } from './editable-prompt.ts';

/** Two versions and the values for both. */
export type Compared = { before: EditablePrompt; after: EditablePrompt; values: Values };

/** The runs of two versions, whose keys are in `keys`. */
type Comparison = {
  readonly keys: string;
  readonly of: Compared;
  readonly before: ComparedRun;
  readonly after: ComparedRun;
};

type ComparedRun = WatchedRun & { stop(): void };

/** The last comparison: its answers stay while the user looks at something else. */
export const useComparison = create<{ last: Comparison | undefined }>()(() => ({ last: undefined }));

/** Runs both versions. The runs of the last comparison are stopped. */
export function startComparison(keys: string, of: Compared): void {
  stopComparison();
  const { before, after, values } = of;
  useComparison.setState({
    last: { keys, of, before: startCompared(before, values), after: startCompared(after, values) },
  });
}

/** Stops the runs of the last comparison; what they have answered stays. */
export function stopComparison(): void {
  const { last } = useComparison.getState();
  last?.before.stop();
  last?.after.stop();
}

function startCompared(prompt: EditablePrompt, values: Values): ComparedRun {
  const { library, prompt: read } = libraryOf(prompt)!;
  const run = createRun(library.definePrompt(`${read.id}@${read.version}`), { executor: promptExecutor() });
  // the state says how it ended
  run.start(toInput(read, values)).catch(() => {});
  return run;
}
