export { compareWithBaseline, type BaselineComparison, type BaselineOptions } from './baseline.ts';
export type { ImproveCandidate, ImproveFigures } from './candidates.ts';
export { caseFromRun } from './case-from-run.ts';
export type { EvalPrice, EvalPrices } from './cost.ts';
export {
  defineEval,
  isEvalDefinition,
  triad,
  type EvalDefinition,
  type EvalSettings,
  type Triad,
} from './define-eval.ts';
export type { EvalCase, ScoreContext, Scorer, ScoreValue } from './scorer.ts';
export type { ModelUsage, ScorerUsage } from './scorer-usage.ts';
export type { EvalOutput, EvalToolCall } from './eval-output.ts';
export { memoryEvalStore, type EvalStore } from './eval-store.ts';
export { improve, type ImproveBudget, type Improvement, type ImproveOptions } from './improve.ts';
export { judge, similarTo, type JudgeOptions, type SimilarToOptions } from './model-scorers.ts';
export {
  summarize,
  type Agreement,
  type EvalGroup,
  type EvalReport,
  type EvalResult,
  type EvalScore,
  type EvalSummary,
  type EvalUsage,
  type UsageFigures,
} from './report.ts';
export { listRuns, runEval, type EvalProgress, type EvalRun, type RunEvalOptions } from './run-eval.ts';
export {
  callsTools,
  closeTo,
  completesTasks,
  contains,
  equals,
  fitsSchema,
  jsonEquals,
  matches,
  type CallsToolsOptions,
  type ExpectedCall,
  type JsonEqualsOptions,
  type TextOptions,
  type Tolerance,
} from './scorers.ts';
export { dropProbability, percentile, wilsonInterval, type Interval, type PassCount } from './statistics.ts';
