import type { DeepPartial, LanguageModel } from 'ai';
import type { ToolCallState } from '../../log/state.ts';
import type { ModelSettings } from '../../models/settings.ts';
import type { PromptDefinition, PromptWithSchema } from '../../prompt/define-prompt.ts';
import type { MessageContent } from '../../messages/message-parts.ts';
import type { ToolContext } from '../../tools/tool-definition.ts';
import type { Run } from '../../run/run.ts';
import type { CallTrace } from './call-trace.ts';
import type { Dialog } from './dialog.ts';
import type { AgentClassifyOptions, Classification, BinaryClassification } from './classify.ts';

/** What an agent is told: a text, or a list of parts, such as text, images and files. */
export type AgentInput = MessageContent['user'];

/** How one call is made. */
export type CallOptions = {
  /** The conversation that the call goes on with. Default: none. */
  dialog?: Dialog | undefined;
  /** Aborting it ends the call, which rejects with `aborted`. */
  signal?: AbortSignal | undefined;
  /** Model to use instead of the agent's own. */
  model?: string | LanguageModel | undefined;
  /** Where models come from: environment, providers, fetch. */
  models?: ModelSettings | undefined;
  /**
   * What a tool's function was given: the call is then part of that tool's run, and stands in its log under the tool
   * call, with the same limits, approvals and stop. An agent without a model has the run's.
   */
  context?: ToolContext | undefined;
  /**
   * Given the run as it starts, to show it, or to answer what it asks: a tool with `needsApproval` waits for
   * `run.respondToApproval`. Not called for one with a `context`, which is part of that run.
   */
  onRun?: ((run: Run) => void) | undefined;
};

/** What TypeScript knows of an agent's runs. */
export type AgentTypes<Output, Call extends ToolCallState = ToolCallState> = {
  output: Output;
  object: DeepPartial<Output> | undefined;
  toolCall: Call;
};

/** What has come of a call. */
export type CallResult<Output = unknown, Call extends ToolCallState = ToolCallState> = {
  output: Output;
  /** The conversation with the input, the rounds of tool calls and the answer, without what could not be used. */
  dialog: Dialog;
  /** Every tool call, in the order in which they were made. */
  calls: readonly CallTrace[];
  /** How many answers it took until one could be read; 1 where the first could. */
  attempts: number;
  /** The run that it was. Missing where it was part of another run, by its `context`. */
  run?: Run<void, AgentTypes<Output, Call>>;
};

/**
 * An agent, as {@link defineAgent} makes it. It is a prompt like any other, whose input is what it is told (over a route, a text); `call` is the
 * short way to its answer. Inert, so any module may export it.
 */
export type Agent<Output = unknown, Call extends ToolCallState = ToolCallState> = PromptWithSchema<
  AgentInput,
  AgentTypes<Output, Call>
> & {
  /**
   * Asks the agent, and gives its answer as its `output` reads it. Rejects with a CuelineError that says why there is
   * none; its details are {@link CallErrorDetails}.
   */
  call(input: AgentInput, options?: CallOptions): Promise<CallResult<Output, Call>>;
  /** The prompt of one call, for a hook, a route or the playground. */
  prompt(
    input: AgentInput,
    options?: Pick<CallOptions, 'dialog'>,
  ): PromptDefinition<void, AgentTypes<Output, Call>>;
  /** Asks for one of several labels, with the agent's instructions and model, and without its tools. */
  classify<const Label extends string>(
    input: AgentInput,
    labels: readonly Label[],
    options?: AgentClassifyOptions,
  ): Promise<Classification<Label>>;
  /** Asks a question to be answered with yes or no. */
  classifyBinary(question: AgentInput, options?: AgentClassifyOptions): Promise<BinaryClassification>;
};
