import type { EvalReport, EvalResult } from '@cueline/core/evals';

/** The settings that the command `cueline eval` passes to the evals in its workers. */
export type CommandSettings = {
  readonly cassettes?: CassetteMode;
  readonly models?: readonly string[];
  readonly concurrency?: number;
  readonly repeat?: number;
  /** Instead of that of the evals. */
  readonly threshold?: number;
  /** True if a comparison decides, and no failed case does. */
  readonly comparesBaseline?: boolean;
  /** Folder of the logs of earlier runs. */
  readonly store?: string;
  /** True if earlier runs are made again. */
  readonly fresh?: boolean;
};

/** The mode of cassettes. */
export type CassetteMode = 'replay' | 'record' | 'extend';

/** The data of a test for the reporter. */
export type EvalMeta =
  | { readonly kind: 'run'; readonly result: EvalResult }
  | {
      readonly kind: 'eval';
      readonly report: Omit<EvalReport, 'results'>;
      /** If the command records. */
      readonly recorded?: RecordedKeys;
    };

/** The keys of the recordings of a worker's cassettes, by file. */
export type RecordedKeys = Readonly<Record<string, readonly string[]>>;

declare module 'vitest' {
  interface ProvidedContext {
    cueline?: CommandSettings;
  }
  interface TaskMeta {
    cueline?: EvalMeta;
  }
}
