import type { DeepPartial, LanguageModel } from 'ai';
import type { RequestOptions } from '../../engine/loop-policy.ts';
import type { ClientToolCallState, ToolCallState } from '../../log/state.ts';
import type { MessageContent } from '../../messages/message-parts.ts';
import type { ModelSettings } from '../../models/settings.ts';
import type { PromptDefinition, PromptWithSchema } from '../../prompt/define-prompt.ts';
import type { Run } from '../../run/run.ts';
import type { ToolContext } from '../../tools/tool-types.ts';
import type { CallTrace } from '../record-tool-calls.ts';
import type { Dialog } from './dialog.ts';

/** The input of an agent: a text, or a list of parts, such as text, images and files. */
export type AgentInput = MessageContent['user'];

/** The options of one call. */
export type CallOptions = {
  /** The conversation that the call continues. Default: none. */
  dialog?: Dialog | undefined;
  /** Aborting it ends the call, which rejects with `aborted`. */
  signal?: AbortSignal | undefined;
  /** Model to use instead of the agent's own. */
  model?: string | LanguageModel | undefined;
  /** Where models come from: environment, providers, fetch. */
  models?: ModelSettings | undefined;
  /**
   * The context of a tool's function. The call is then part of that tool's run: it is in its log under the tool call,
   * and has the same limits, approvals and stop. An agent without a model uses the run's model.
   */
  context?: ToolContext | undefined;
  /**
   * Called with the run when it starts, to show it or to respond to approvals. Not called for a call with a
   * `context`, which is part of that run.
   */
  onRun?: ((run: Run) => void) | undefined;
};

/** The types of an agent's runs. */
export type AgentTypes<Output, Call extends ToolCallState = ToolCallState> = {
  output: Output;
  object: DeepPartial<Output> | undefined;
  toolCall: Call;
  clientToolCall: ClientToolCallState;
};

/** The result of a call. */
export type CallResult<Output = unknown, Call extends ToolCallState = ToolCallState> = {
  output: Output;
  /** The conversation with the input, the rounds of tool calls and the answer, without unusable answers. */
  dialog: Dialog;
  /** Every tool call, in order. */
  calls: readonly CallTrace[];
  /** How many answers the call took until one could be used; 1 if the first could. */
  attempts: number;
  /** The call's run. Missing if the call was part of another run, by its `context`. */
  run?: Run<void, AgentTypes<Output, Call>>;
};

/** The options of a classifier. */
export type ClassifyOptions = Omit<CallOptions, 'dialog' | 'onRun'> & {
  /** The system prompt before the labels. */
  instructions?: string | undefined;
  /**
   * How often to ask if the provider reports no probabilities; the shares of the answers are used instead. Default 1:
   * the label alone.
   */
  samples?: number | undefined;
  /**
   * Whether to ask for the probabilities of tokens, which OpenAI's models report. Default: unless the model refuses.
   */
  logprobs?: boolean | undefined;
  /** How many more answers in a row may not be a label before the call fails. Default 3. */
  maxExceptionRetries?: number | undefined;
  /** Settings of the model calls. Default: those of the agent that classifies, if any. */
  options?: RequestOptions | undefined;
};

/** The options of an agent's classifier, which uses the agent's instructions. */
export type AgentClassifyOptions = Omit<ClassifyOptions, 'instructions'>;

/** The classification of a text. */
export type Classification<Label extends string = string> = {
  label: Label;
  /** The probability of each label; together they are 1. Missing if nothing reports them. */
  probabilities?: Record<Label, number>;
  /** The source of the probabilities: the model's tokens, the shares of several answers, or none. */
  source: 'logprobs' | 'samples' | 'label';
};

/** The answer to a question for yes or no. */
export type BinaryClassification = {
  value: boolean;
  /** The probability of yes. Missing if nothing reports it. */
  probability?: number;
  source: Classification['source'];
};

/**
 * An agent, as {@link defineAgent} returns it. It is a prompt like any other, whose input is the agent's input (over
 * a route, a text). `call` is the short way to its answer.
 */
export type Agent<Output = unknown, Call extends ToolCallState = ToolCallState> = PromptWithSchema<
  AgentInput,
  AgentTypes<Output, Call>
> & {
  /**
   * Calls the agent, and returns its answer as parsed by its `output`. Rejects with a CuelineError that says why
   * there is no answer; its details are {@link CallErrorDetails}.
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
  /** Asks a question for yes or no. */
  classifyBinary(question: AgentInput, options?: AgentClassifyOptions): Promise<BinaryClassification>;
};
