import type { Instructions, LanguageModel, ModelMessage, PrepareStepResult, StepResult, ToolSet } from 'ai';

/** A variable as a hook reads it and gives it back: what `def` took, or what `defData` took. */
export type HookVariable = { type: 'string'; value: string } | { type: 'data'; value: object };

/** What a hook is told of the step that is about to start, as the hooks before it have left it. */
export type HookStep = {
  messages: ModelMessage[];
  model: LanguageModel;
  /** The steps that have ended. */
  steps: readonly StepResult<ToolSet>[];
  /** From 0. */
  stepNumber: number;
  variables: Record<string, HookVariable>;
  /** Names of the tools that the model can call in this step. */
  activeTools: string[];
  /** The compiled system prompt. */
  system: Instructions | undefined;
};

/** What a hook changes. What it leaves out stays as it was. */
export type HookResult = {
  /** Stands in the place of the whole compiled system prompt, for this step. */
  system?: Instructions | undefined;
  /** The only tools of this step. */
  activeTools?: readonly string[] | undefined;
  /** Sent in the place of the history, for this step. */
  messages?: readonly ModelMessage[] | undefined;
  /** Set from now on, for all later steps. Those that are left out keep their values. */
  variables?: Record<string, HookVariable> | undefined;
  /** `provider:model`, an alias or an AI SDK model, for this step. */
  model?: string | LanguageModel | undefined;
} & Omit<
  NonNullable<PrepareStepResult<ToolSet>>,
  'activeTools' | 'messages' | 'system' | 'instructions' | 'model'
>;

/** Called before each step; may change what it sends. */
export type Hook = (step: HookStep) => HookResult | void | Promise<HookResult | void>;
