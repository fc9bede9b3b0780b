import type { LanguageModel } from 'ai';
import type { ToolList } from '../../tools/tool-list.ts';
import type { Limits } from '../../prompt/prompt-options.ts';
import type { PromptOptions } from '../../prompt/prompt-options.ts';
import type { CallTrace } from './call-trace.ts';
import type { OutputConfig } from './output-config.ts';

/** Tools of an agent: what `tool(…)` makes, and tool sets of the AI SDK, those of an MCP server among them. */
export type AgentTools = ToolList;

/** An answer that cannot be used. */
export type CallException = {
  /** What is wrong with it. */
  error_message: string;
  /** The answer. */
  text: string;
  /** How many in a row, this one included. */
  attempt: number;
};

/** A round of tool calls, whose results the model has. */
export type CallInterrupt = {
  call_results: readonly CallTrace[];
  /** How many rounds, this one included. */
  interrupt: number;
  /** How many may still follow. */
  remaining: number;
};

/** What is told to the model when an answer cannot be used: a template with `{error_message}`, or a function. */
export type ExceptionHandler = string | ((exception: CallException) => string | Promise<string>);

/** What is told to the model besides its calls' results, if anything: a template with `{call_results}`, or a function. */
export type InterruptHandler =
  | string
  | ((interrupt: CallInterrupt) => string | undefined | Promise<string | undefined>);

/** What {@link defineAgent} takes. */
export type AgentConfig = {
  name: string;
  /** The system prompt. */
  instructions: string;
  /** Model for calls that name none. */
  model?: string | LanguageModel | undefined;
  tools?: AgentTools | undefined;
  /** What an answer must be: a schema, `tags([…])`, or a function that reads the text. Default: text that says something. */
  output?: OutputConfig | undefined;
  /** Says to the model why its answer cannot be used. Neither these words nor that answer stay in the dialog. */
  onException?: ExceptionHandler | undefined;
  /** Says something to the model after each round of tool calls. It stays in the dialog. Default: nothing. */
  onInterrupt?: InterruptHandler | undefined;
  /** How many answers in a row may be unusable before the call fails, less one. Default 3. */
  maxExceptionRetries?: number | undefined;
  /** Rounds of tool calls; after the last, the model is asked for its final response. Default 5. */
  maxInterrupts?: number | undefined;
  /** Limits of a call. One that is part of another run has that run's. */
  limits?: Partial<Limits> | undefined;
  /** Settings of the model calls, such as `temperature`. */
  options?: AgentCallOptions | undefined;
};

/** What TypeScript refuses: a name that {@link AgentConfig} does not have. */
export type OnlyKnown<Config> = { readonly [Name in Exclude<keyof Config, keyof AgentConfig>]: never };

/** Options of a run that an agent does not say by itself. */
export type AgentCallOptions = Omit<
  PromptOptions,
  'plugins' | 'messages' | 'abortSignal' | 'limits' | 'output' | 'tools'
>;
