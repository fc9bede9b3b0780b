import type { Instructions, OutputInterface, streamText, ToolSet } from 'ai';

/** The format of named system parts: `role:` and a line of its own, or `<role>…</role>`. */
export type SystemFormat = 'labels' | 'xml';

/** The AI SDK's runtime context, with any content of the caller. */
export type UserContext = Record<string, unknown>;

/** The options of the AI SDK's `streamText`. */
export type StreamTextOptions<Output extends OutputInterface = OutputInterface> = Parameters<
  typeof streamText<ToolSet, UserContext, Output>
>[0];

type SdkSettings<Output extends OutputInterface> = Omit<
  StreamTextOptions<Output>,
  'model' | 'messages' | 'prompt' | 'instructions' | 'system' | 'timeout'
>;

type SdkTimeouts = Exclude<StreamTextOptions['timeout'], number | undefined>;

/** The time limit of a run or an agent in milliseconds, or several ones, as `timeout` of the AI SDK has them. */
export type TimeoutOptions = number | { [Name in keyof SdkTimeouts]?: SdkTimeouts[Name] | undefined };

/** Settings of model calls, of a run or of an agent. One that is undefined is the same as one that is left out. */
export type CallSettings<Output extends OutputInterface = OutputInterface> = {
  [Name in keyof SdkSettings<Output>]?: SdkSettings<Output>[Name] | undefined;
} & {
  /** Time limits in milliseconds; a number limits the whole run or agent. */
  timeout?: TimeoutOptions | undefined;
  /** Appended to the compiled system prompt. */
  instructions?: Instructions | undefined;
  /** The former name of `instructions`. If both are given, both are sent. */
  system?: Instructions | undefined;
  /** The format of named system parts: `labels` (default) or `xml`. */
  systemFormat?: SystemFormat | undefined;
  /**
   * Whether the model must call a tool in the first step (`toolChoice: 'required'`); later steps are free. A
   * `toolChoice` of the options, of a hook or of `prepareStep` overrides this. Default false.
   */
  forceTools?: boolean | undefined;
};

/** Settings of an agent's own model calls. It inherits none of its parent's. */
export type AgentCallSettings = Omit<CallSettings, 'output' | 'abortSignal'>;
