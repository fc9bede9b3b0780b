import type { ModelMessage, ToolSet } from 'ai';
import type { ModelSettings } from '../../models/settings.ts';
import type { LimitOptions, PromptOptions } from '../../prompt/prompt-options.ts';
import type { RunStorage } from '../../storage/run-storage.ts';
import { namedTools } from '../../tools/named-tools.ts';
import type { ToolArguments, ToolSchema } from '../../tools/schema.ts';
import { isToolList, type ToolList } from '../../tools/tool-list.ts';
import type { ToolContext } from '../../tools/tool-types.ts';
import type { NamedTool } from '../../tools/tool.ts';
import { throwFirstIssue } from '../throw-first-issue.ts';
import type { SessionCallbacks } from './session-callbacks.ts';

/** A tool as plain data, or one of the AI SDK. */
export type SessionTool<Schema extends ToolSchema = ToolSchema> = {
  inputSchema: Schema;
  // a method, so that a tool with known arguments is assignable to one with unknown arguments
  // `never`, because a tool of the AI SDK may require a context of any type, which no session provides
  execute?(args: ToolArguments<Schema>, context: ToolContext<never>): unknown;
  description?: unknown;
};

/** Schemas of arguments, by tool name. */
export type SessionSchemas = Readonly<Record<string, ToolSchema>>;

/**
 * Tools by name, of the AI SDK (an MCP client's, too) or as plain data; or a list of tools that `tool(…)` returned,
 * and of tool sets.
 */
export type SessionTools<Schemas extends SessionSchemas = SessionSchemas> =
  | { readonly [Name in keyof Schemas]: SessionTool<Schemas[Name]> }
  | readonly (NamedTool | ToolSet)[];

/** A logger, such as `console`. */
export type SessionLogger = {
  debug?(message: string, fields?: unknown): void;
  info?(message: string, fields?: unknown): void;
  warn?(message: string, fields?: unknown): void;
  error?(message: string, fields?: unknown): void;
};

/** The options that a session's model calls can have. */
export const sessionOptionNames = [
  'approval',
  'frequencyPenalty',
  'headers',
  'loopGuard',
  'maxOutputTokens',
  'presencePenalty',
  'providerOptions',
  'reasoning',
  'seed',
  'stopSequences',
  'telemetry',
  'temperature',
  'topK',
  'topP',
] as const;

/** Settings of each model call. */
export type SessionOptions = Pick<PromptOptions, (typeof sessionOptionNames)[number]>;

/** The settings of a session, wherever it runs. */
export type SessionSettings<Schemas extends SessionSchemas = SessionSchemas> = {
  /** The model's instructions. */
  systemPrompt: string;
  /** The tools of the model. It always has `task_complete`, too. */
  tools?: SessionTools<Schemas> | undefined;
  /** Default: a random id. */
  sessionId?: string | undefined;
  /** Continues from these messages of `onMessagesUpdate` or of a session's result. */
  initialMessages?: readonly ModelMessage[] | undefined;
  /** The user's first message, without `initialMessages`. Default: `Please begin.` */
  initialMessage?: string | undefined;
  /** The results of the calls on which an earlier session was suspended, by id. */
  answers?: Readonly<Record<string, unknown>> | undefined;
  /** The maximum number of model calls. Default 50. */
  maxTurns?: number | undefined;
  /**
   * The number of tokens, with system prompt and tools, from which on the conversation is summarized. Default: never.
   */
  tokenLimit?: number | undefined;
  /**
   * The maximum duration of a model call, in milliseconds. Default: none. The first part of an answer may take 90 s and
   * each further part 60 s, or as long as this if it is longer.
   */
  llmTimeout?: number | undefined;
  /** The maximum duration of a call of a tool that sets no `timeoutMs`, in milliseconds. Default 300,000. */
  toolTimeout?: number | undefined;
  /** Gets errors, retries, callbacks that threw, and the end. Default: none. */
  logger?: SessionLogger | undefined;
  /** Called as the session proceeds, one after the other. Each is awaited. */
  callbacks?: SessionCallbacks | undefined;
  /** Data of the caller, which the result and the log entries contain. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Settings of each model call, `approval` and `loopGuard`. */
  options?: SessionOptions | undefined;
  /**
   * Limits of the session and all its agents. Steps and tool calls are unlimited by default, because turns are
   * limited.
   */
  limits?: LimitOptions | undefined;
};

/** The configuration of {@link runAgentSession}. */
export type SessionConfig<Schemas extends SessionSchemas = SessionSchemas> = SessionSettings<Schemas> & {
  /** Aborting it stops the session. */
  signal?: AbortSignal | undefined;
  /** Where models come from: environment, providers, fetch. */
  models?: ModelSettings | undefined;
  /** Stores the session's run under its id, so that it survives a reload. */
  storage?: RunStorage | undefined;
};

/** The user's first message, if the caller sets none. */
export const OPENING = 'Please begin.';

/** The message to a model that has answered without a call, or whose conversation ends with its own message. */
export const CONTINUE = 'Please continue.';

/**
 * Checks what a page can check at once. The rest is checked when the session begins.
 * @throws CuelineError `invalid_options`
 */
export function checkConfig(whose: string, config: SessionSettings): void {
  throwFirstIssue('invalid_options', issuesOf(config ?? {}), whose);
}

function* issuesOf(config: SessionSettings): Generator<string> {
  const { systemPrompt, tools, initialMessages = [] } = config;
  if (typeof systemPrompt !== 'string') yield "systemPrompt is missing. Write 'You are …'.";
  if (!Array.isArray(initialMessages)) yield 'initialMessages is not a list of messages.';
  for (const name of ['maxTurns', 'tokenLimit', 'llmTimeout', 'toolTimeout'] as const) {
    const { [name]: value = 1 } = config;
    if (!(value > 0)) yield `${name} is ${value}. Give a number above 0.`;
  }
  const toolList = (tools ?? {}) as ToolList;
  if (isToolList(toolList) && namedTools(toolList).some(({ name }) => name === 'task_complete')) {
    yield 'The tool name task_complete is reserved: it ends the session. Give your tool another name.';
  }
}
