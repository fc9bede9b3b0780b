import type { ModelMessage, ToolSet } from 'ai';
import { CuelineError } from '../../base/errors.ts';
import type { ModelSettings } from '../../models/settings.ts';
import type { ToolArguments, ToolContext, ToolSchema } from '../../tools/tool-definition.ts';
import type { NamedTool } from '../../tools/tool.ts';
import { isToolList, namedTools, type ToolList } from '../../tools/tool-list.ts';
import type { Limits } from '../../prompt/prompt-options.ts';
import type { PromptOptions } from '../../prompt/prompt-options.ts';
import type { RunStorage } from '../../storage/run-storage.ts';
import type { SessionCallbacks } from './session-callbacks.ts';

/** A tool as plain data, or one of the AI SDK's. */
export type SessionTool<Schema extends ToolSchema = ToolSchema> = {
  inputSchema: Schema;
  // a method, so that a tool of known arguments is also one of unknown ones
  // `never`, since one of the AI SDK's may take a context of any type, which no session gives it
  execute?(args: ToolArguments<Schema>, context: ToolContext<never>): unknown;
  description?: unknown;
};

/** Schemas of arguments, by the names of their tools. */
export type SessionSchemas = Readonly<Record<string, ToolSchema>>;

/** Tools by name, the AI SDK's (an MCP client's too) or as plain data; or a list of what `tool(…)` makes. */
export type SessionTools<Schemas extends SessionSchemas = SessionSchemas> =
  | { readonly [Name in keyof Schemas]: SessionTool<Schemas[Name]> }
  | readonly (NamedTool | ToolSet)[];

/** Where a session notes what it does. `console` is one. */
export type SessionLogger = {
  debug?(message: string, facts?: unknown): void;
  info?(message: string, facts?: unknown): void;
  warn?(message: string, facts?: unknown): void;
  error?(message: string, facts?: unknown): void;
};

/** Settings of each model call. */
export type SessionOptions = Pick<
  PromptOptions,
  | 'approval'
  | 'frequencyPenalty'
  | 'headers'
  | 'loopGuard'
  | 'maxOutputTokens'
  | 'presencePenalty'
  | 'providerOptions'
  | 'reasoning'
  | 'seed'
  | 'stopSequences'
  | 'telemetry'
  | 'temperature'
  | 'topK'
  | 'topP'
>;

/** What a session is, wherever it runs. */
export type SessionSettings<Schemas extends SessionSchemas = SessionSchemas> = {
  systemPrompt: string;
  tools?: SessionTools<Schemas> | undefined;
  /** Made up where it is missing. */
  sessionId?: string | undefined;
  /** Goes on from these messages, as `onMessagesUpdate` or the result of a session gave them. */
  initialMessages?: readonly ModelMessage[] | undefined;
  /** What the user says first, where there are no `initialMessages`. */
  initialMessage?: string | undefined;
  /** What the calls come to that an earlier session was suspended on, by their ids. */
  answers?: Readonly<Record<string, unknown>> | undefined;
  /** Model calls with the tools that they ask for. 50 by default. */
  maxTurns?: number | undefined;
  /** Tokens of the conversation, system prompt and tools included, from which on it is summarised. Never by default. */
  tokenLimit?: number | undefined;
  /** Milliseconds that a model call may take. */
  llmTimeout?: number | undefined;
  /** Milliseconds that a tool call may take. */
  toolTimeout?: number | undefined;
  logger?: SessionLogger | undefined;
  callbacks?: SessionCallbacks | undefined;
  /** Whatever belongs to the session; it comes back with the result, and with what is logged. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  options?: SessionOptions | undefined;
  /** What the session and all its agents may use; steps and tool calls are unlimited by default, since turns are not. */
  limits?: Partial<Limits> | undefined;
};

export type SessionConfig<Schemas extends SessionSchemas = SessionSchemas> = SessionSettings<Schemas> & {
  /** Aborting it stops the session. */
  signal?: AbortSignal | undefined;
  /** Where models come from: environment, providers, fetch. */
  models?: ModelSettings | undefined;
  /** Keeps the session's run over a reload, under its id. */
  storage?: RunStorage | undefined;
};

/** What the user says where nobody has said what. */
export const OPENING = 'Please begin.';

/** Checks what a page can tell at once; the rest is checked as the session begins. @throws CuelineError `invalid_options` */
export function checkConfig(whose: string, config: SessionSettings): void {
  const { systemPrompt, tools = {}, initialMessages = [] } = config ?? {};
  if (typeof systemPrompt !== 'string') fail(whose, "systemPrompt is missing. Write 'You are …'.");
  if (!Array.isArray(initialMessages)) fail(whose, 'initialMessages is not a list of messages.');
  for (const name of ['maxTurns', 'tokenLimit', 'llmTimeout', 'toolTimeout'] as const) {
    const { [name]: value = 1 } = config;
    if (!(value > 0)) fail(whose, `${name} is ${value}. Give a number above 0.`);
  }
  const given = (tools ?? {}) as ToolList;
  if (isToolList(given) && namedTools(given).some(({ name }) => name === 'task_complete')) {
    fail(whose, 'task_complete ends the session, and cannot be a tool of yours. Give it another name.');
  }
}

/** @throws CuelineError `invalid_options`, always */
export function fail(whose: string, fault: string): never {
  throw new CuelineError('invalid_options', `${whose}: ${fault}`);
}
