import type { Instructions, LanguageModel, ModelMessage, PrepareStepResult, StepResult, ToolSet } from 'ai';

/** A variable as a hook reads and returns it: the value of `def`, or that of `defData`. */
export type HookVariable = { type: 'string'; value: string } | { type: 'data'; value: object };

/** The step that is about to start, as earlier hooks have left it. */
export type HookStep = {
  messages: ModelMessage[];
  model: LanguageModel;
  /** The steps that have ended; of a run, without those that a retry keeps. */
  steps: readonly StepResult<ToolSet>[];
  /** From 0, with the steps that a retry keeps. */
  stepNumber: number;
  variables: Record<string, HookVariable>;
  /** Names of the tools that the model can call in this step. */
  activeTools: string[];
  /** The compiled system prompt. */
  system: Instructions | undefined;
};

/** The changes of a hook. Fields that it leaves out stay unchanged. */
export type HookResult = {
  /** Replaces the whole compiled system prompt, for this step. */
  system?: Instructions | undefined;
  /** The only tools of this step. */
  activeTools?: readonly string[] | undefined;
  /** Replaces the history, for this step. */
  messages?: readonly ModelMessage[] | undefined;
  /** Set from now on, for all later steps. Variables that are left out keep their values. */
  variables?: Record<string, HookVariable> | undefined;
  /** `provider:model`, an alias or an AI SDK model, for this step. */
  model?: string | LanguageModel | undefined;
} & Omit<
  NonNullable<PrepareStepResult<ToolSet>>,
  'activeTools' | 'messages' | 'system' | 'instructions' | 'model'
>;

/** Called before each step. It may change what the step sends. */
export type Hook = (step: HookStep) => HookResult | void | Promise<HookResult | void>;
