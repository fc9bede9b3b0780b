import type { Instructions, ModelMessage, StepResult, ToolSet } from 'ai';
import type { CuelineError, CuelineErrorCode } from '../base/errors.ts';
import type { UserContext } from '../prompt/call-settings.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { ModelCallPolicy } from '../provider/model-calls.ts';
import type { AgentContext } from '../tool-calls/run-context.ts';
import type { Ending } from './ending.ts';

/** What a session or an agent call adds to its prompt, created anew for every start. */
export type LoopPolicySetup = {
  /**
   * Options below the run's own. Their messages come before the run's, and their limits apply if the run sets none.
   */
  options: Omit<PromptOptions, 'plugins' | 'abortSignal'>;
  /** Makes definitions after the prompt function. */
  define?: (prompt: Prompt) => void | Promise<void>;
  /** True if the answer is JSON, which `state.object` shows as it arrives. */
  structured?: boolean;
  policy: (context: LoopPolicyContext) => LoopPolicy;
};

/** Options that do not change what a model answers: where and how a request is sent, and what is recorded of it. */
export type RequestOptions = Pick<PromptOptions, 'headers' | 'providerOptions' | 'telemetry'>;

/** The loop that a policy is for. */
export type LoopPolicyContext = {
  agentContext: AgentContext;
  /** The first messages. */
  messages: readonly ModelMessage[];
  /** Options of the loop's model calls, which those of the policy's own prompts have, too. */
  options: RequestOptions;
  /** Aborts when the loop ends, also if no end is logged because another process continues it. */
  abortSignal: AbortSignal | undefined;
};

/** A step that is about to be sent. */
export type PolicyStep = {
  stepNumber: number;
  /** The whole conversation. */
  messages: readonly ModelMessage[];
  /** How many of the last messages the model has received between the step before and this one. */
  steered: number;
  /** True if one of those contains answers to approvals that the provider asked for in the step before. */
  hasApprovalAnswers: boolean;
  /** Returns the compiled system prompt. */
  instructions(): Instructions | undefined;
  /** The tools that the model may call. */
  readonly tools: ToolSet;
};

/**
 * A message to the model. `corrects`: the step before cannot be used, and later turns leave it out. `code`: why its
 * model call failed.
 */
export type Feedback = string | { text: string; corrects: boolean; code?: CuelineErrorCode | undefined };

/** A step that another process has made. */
export type PastTurn = {
  /** The messages that the model has received between the step before and this one. */
  readonly received: readonly ModelMessage[];
  /** True if those contain answers to approvals that the provider asked for. */
  readonly hasApprovalAnswers: boolean;
  /** The messages of its request. */
  readonly sent: readonly ModelMessage[];
  /** The answers of the policy's own prompts, between the step before and this one. */
  readonly answers: readonly string[];
  /** As `afterStep` gets it, without files and warnings. */
  readonly result: StepResult<ToolSet, UserContext>;
  /** The feedback of the policy after it. */
  readonly feedback: { text: string; corrects: boolean; code: string | undefined } | undefined;
  /** True if the provider has asked for approvals in it, or has paused its own tools. */
  readonly isPaused: boolean;
};

/** The past of a loop that other processes have begun. */
export type PolicyPast = Pick<PolicyStep, 'instructions' | 'tools'> & {
  readonly turns: readonly PastTurn[];
  /** The step whose calls have not all ended. It is not among `turns`. */
  readonly open: PastTurn | undefined;
  /** True if the loop has ended, and is only needed for its result. */
  readonly ended: boolean;
};

/**
 * Controls an agent loop: the messages of each step, the feedback after it, the end of the loop and its result.
 * The engine calls the policy; a policy never calls the model itself.
 */
export type LoopPolicy = ModelCallPolicy & {
  /** The `cause` of the policy's messages to the model in the log. */
  readonly cause: 'session' | 'call';
  /** Called before the first step here, if other processes have made steps. */
  takeOver?(past: PolicyPast): Promise<void>;
  /**
   * Called before each step. `messages` replace the whole conversation, for later steps too. `forgets` is true if
   * results of tools are no longer among them, so that making the same calls again is no loop.
   */
  beforeStep?(
    step: PolicyStep,
  ): Promise<{ messages?: readonly ModelMessage[]; forgets?: boolean; toolChoice?: 'none' } | undefined>;
  /** Called after each step, with its tools. The model reads the returned feedback, and another step follows. */
  afterStep?(step: StepResult<ToolSet, UserContext>): Feedback | undefined | Promise<Feedback | undefined>;
  /**
   * Called instead of `afterStep` if the provider asks for approvals in the step, and the next step contains the
   * answers; or if the provider has paused its own tools. False if no step may follow; approvals are then not
   * requested.
   */
  paused?(step: StepResult<ToolSet, UserContext>): boolean | Promise<boolean>;
  /** Called with what a failed tool call threw, before the log has its error. */
  toolFailed?(toolCallId: string, error: unknown): void;
  /** True if no step may follow. Called after `afterStep` and `paused`. */
  done?(): boolean;
  /** The result, once no step follows. `waiting`: the loop needs an answer before it can continue. */
  result?(): { error?: CuelineError; output?: unknown; waiting?: true } | undefined;
  /** Called once, with the end. */
  ended?(ending: Ending): void;
};

/** Returns what a session or an agent call adds to one start of its definition. */
export function policySetupOf<Input>(
  { policySetup }: { policySetup?: ((input: Input) => Promise<object>) | undefined },
  input: Input,
): Promise<LoopPolicySetup> | undefined {
  // prompt/ comes before engine/, so a definition does not know the type; only agents/ sets it
  return policySetup?.(input) as Promise<LoopPolicySetup> | undefined;
}
