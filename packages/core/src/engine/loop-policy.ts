import type { Instructions, ModelMessage, StepResult, ToolSet } from 'ai';
import type { CuelineError } from '../base/errors.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { PromptOptions, UserContext } from '../prompt/prompt-options.ts';
import type { Ending } from './recorder.ts';
import type { ModelCallPolicy } from '../provider/model-calls.ts';
import type { AgentContext } from '../tool-calls/run-context.ts';

/** What a session or an agent call adds to its prompt, made anew for every start. */
export type LoopPolicySetup = {
  /** What the run's own options lie over. Its messages come before theirs, and its limits hold where theirs name none. */
  options: Omit<PromptOptions, 'plugins' | 'abortSignal'>;
  /** Makes definitions after the prompt function has made its own. */
  define?: (prompt: Prompt) => void | Promise<void>;
  /** True where the answer is JSON, which `state.object` shows as it arrives. */
  structured?: boolean;
  policy: (stage: LoopPolicyContext) => LoopPolicy;
};

/** Where a conversation takes place. */
export type LoopPolicyContext = {
  agentContext: AgentContext;
  /** The messages that it begins with. */
  messages: readonly ModelMessage[];
};

/** A step that is about to be sent. */
export type PolicyStep = {
  stepNumber: number;
  /** Everything that has been said. */
  messages: readonly ModelMessage[];
  /** How many of them, at the end, the model has been told between the step before and this one. */
  steered: number;
  /** True where one of those has answers to the approvals that the provider has asked for in the step before. */
  hasApprovalAnswers: boolean;
  /** The compiled system prompt. */
  instructions(): Instructions | undefined;
  /** The tools that it may call. */
  readonly tools: ToolSet;
};

/** What the model is told. `corrects`: the step before cannot be used, and later turns need not hear of it. */
export type Feedback = string | { text: string; corrects: boolean };

/**
 * How a conversation is conducted: what each step sends, what the model is told after it, when it is over and what has
 * come of it. The engine asks; a conduct never calls the model itself.
 */
export type LoopPolicy = ModelCallPolicy & {
  /** Whose words those to the model are. */
  readonly cause: 'session' | 'call';
  /** `messages` take the place of everything that has been said, for later steps too. */
  beforeStep?(
    step: PolicyStep,
  ): Promise<{ messages?: readonly ModelMessage[]; toolChoice?: 'none' } | undefined>;
  /** Told of each step, its tools included. What it returns is told to the model, and a next step follows. */
  afterStep?(step: StepResult<ToolSet, UserContext>): Feedback | undefined | Promise<Feedback | undefined>;
  /**
   * Told, in place of `afterStep`, of a step in which the provider asks for approvals; the next step has the answers. False
   * where no step may follow, and nothing is asked for.
   */
  paused?(step: StepResult<ToolSet, UserContext>): boolean | Promise<boolean>;
  /** True where no step may follow. Asked after `afterStep` and `paused`. */
  done?(): boolean;
  /** What has come of it, once no step follows. `waiting`: somebody has to answer before it can go on. */
  result?(): { error?: CuelineError; output?: unknown; waiting?: true } | undefined;
  /** Told how it ended, once. */
  ended?(ending: Ending): void;
};

/** What a session or an agent call adds to one start of its definition. */
export function policySetupOf<Input>(
  { policySetup }: { policySetup?: ((input: Input) => Promise<object>) | undefined },
  input: Input,
): Promise<LoopPolicySetup> | undefined {
  // prompt/ comes before engine/, so a definition does not know the type; only agents/ sets it
  return policySetup?.(input) as Promise<LoopPolicySetup> | undefined;
}
