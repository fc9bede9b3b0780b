import type { LanguageModel } from 'ai';
import type { LimitOptions, PromptOptions } from '../../prompt/prompt-options.ts';
import type { ToolArguments, ToolSchema } from '../../tools/schema.ts';
import type { ToolList } from '../../tools/tool-list.ts';
import type { CallTrace } from '../record-tool-calls.ts';
import type { Tags, TagValues } from '../tags/tags.ts';

/**
 * Tools of an agent: tools that `tool(…)` returned, and tool sets of the AI SDK, those of an MCP server among them.
 */
export type AgentTools = ToolList;

/** Reads an answer. The model reads the error that it throws, and may answer again. */
export type ParseFunction<Value = unknown> = (text: string) => Value | Promise<Value>;

/** The form of an agent's answer: JSON that fits a schema, texts in tags, or what a function returns for the text. */
export type OutputConfig = Exclude<ToolSchema, () => unknown> | Tags | ParseFunction;

/** The type of the answer; without a config, text. */
export type OutputOf<Config> = [Config] extends [undefined]
  ? string
  : Config extends Tags<infer Required, infer Optional, infer List>
    ? TagValues<Required, Optional, List>
    : Config extends { readonly '~standard': unknown }
      ? ToolArguments<Config>
      : Config extends (text: string) => infer Value
        ? Awaited<Value>
        : ToolArguments<Config>;

/** An unusable answer. */
export type CallException = {
  /** What is wrong with it. */
  error_message: string;
  /** Its text. */
  text: string;
  /** How many unusable answers in a row, this one included. */
  attempt: number;
};

/** A round of tool calls, whose results the model has read. */
export type CallInterrupt = {
  call_results: readonly CallTrace[];
  /** How many rounds, this one included. */
  interrupt: number;
  /** How many rounds may follow. */
  remaining: number;
};

/** The message to the model after an unusable answer: a template with `{error_message}`, or a function. */
export type ExceptionHandler = string | ((exception: CallException) => string | Promise<string>);

/** The message to the model after a round of tool calls, if any: a template with `{call_results}`, or a function. */
export type InterruptHandler =
  | string
  | ((interrupt: CallInterrupt) => string | undefined | Promise<string | undefined>);

/** The configuration of {@link defineAgent}. */
export type AgentConfig = {
  /** Its name in the log, in errors and in a registry. */
  name: string;
  /** The system prompt. */
  instructions: string;
  /** The model of calls that name none. */
  model?: string | LanguageModel | undefined;
  /** The tools of the model. Default: none. */
  tools?: AgentTools | undefined;
  /**
   * The form of the answer: a schema, `tags([…])`, or a function that reads the text. Default: any text that is not
   * empty.
   */
  output?: OutputConfig | undefined;
  /** The message to the model after an unusable answer. Neither this message nor that answer stays in the dialog. */
  onException?: ExceptionHandler | undefined;
  /** The message to the model after each round of tool calls. It stays in the dialog. Default: none. */
  onInterrupt?: InterruptHandler | undefined;
  /** How many more unusable answers in a row the model may give before the call fails. Default 3. */
  maxExceptionRetries?: number | undefined;
  /**
   * The maximum number of rounds of tool calls. After the last one, the model is asked for its final response.
   * Default 5.
   */
  maxInterrupts?: number | undefined;
  /** Limits of a call. A call inside another run has that run's limits. */
  limits?: LimitOptions | undefined;
  /** Settings of the model calls, such as `temperature`. */
  options?: AgentCallOptions | undefined;
};

/** Makes TypeScript refuse a name that {@link AgentConfig} does not have. */
export type OnlyKnown<Config> = { readonly [Name in Exclude<keyof Config, keyof AgentConfig>]: never };

/** Options of a run, without those that the agent's configuration determines. */
export type AgentCallOptions = Omit<
  PromptOptions,
  'plugins' | 'messages' | 'abortSignal' | 'limits' | 'output' | 'tools'
>;
