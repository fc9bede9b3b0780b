import type { ModelMessage } from 'ai';
import { CuelineError } from '../errors.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { ToolArguments, ToolContext, ToolSchema } from '../prompt/tool-definition.ts';
import type { NamedTool } from '../prompt/tool.ts';
import type { Limits } from '../run/limits.ts';
import type { PromptOptions } from '../run/options.ts';
import type { RunStorage } from '../run/run-storage.ts';
import type { SessionCallbacks } from './session-callbacks.ts';

/** A tool as plain data, or one of the AI SDK's. */
export type SessionTool<Schema extends ToolSchema = ToolSchema> = {
  inputSchema: Schema;
  // a method, so that a tool of known arguments is also one of unknown ones
  execute?(args: ToolArguments<Schema>, context: ToolContext): unknown;
  description?: unknown;
};

/** Schemas of arguments, by the names of their tools. */
export type SessionSchemas = Readonly<Record<string, ToolSchema>>;

/** Tools by name, the AI SDK's (an MCP client's too) or as plain data; or a list of what `tool(…)` makes. */
export type SessionTools<Schemas extends SessionSchemas = SessionSchemas> =
  | { readonly [Name in keyof Schemas]: SessionTool<Schemas[Name]> }
  | readonly NamedTool[];

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

const names: Record<keyof SessionSettings, true> = {
  systemPrompt: true,
  tools: true,
  sessionId: true,
  initialMessages: true,
  initialMessage: true,
  answers: true,
  maxTurns: true,
  tokenLimit: true,
  llmTimeout: true,
  toolTimeout: true,
  logger: true,
  callbacks: true,
  metadata: true,
  options: true,
  limits: true,
};

/** Checks what can be told at once. `more` are the names that this kind of session has besides. @throws CuelineError `invalid_options` */
export function checkConfig(whose: string, config: SessionSettings, more: readonly string[]): void {
  const fail = (text: string): never => {
    throw new CuelineError('invalid_options', `${whose}: ${text}`);
  };
  if (typeof config?.systemPrompt !== 'string') {
    fail("systemPrompt is missing. Write { systemPrompt: 'You are …', tools: { … } }.");
  }
  const known = [...Object.keys(names), ...more];
  const unknown = Object.keys(config).find((name) => !known.includes(name));
  if (unknown !== undefined) fail(`there is no "${unknown}". There are: ${known.join(', ')}.`);
  for (const name of ['maxTurns', 'tokenLimit', 'llmTimeout', 'toolTimeout'] as const) {
    const value = config[name];
    if (value !== undefined && !(typeof value === 'number' && value > 0)) {
      fail(`${name} is ${String(value)}. Give a number above 0, or leave it out.`);
    }
  }
  const { callbacks = {}, initialMessages = [], tools = {} } = config;
  for (const [name, callback] of Object.entries(callbacks)) {
    if (callback !== undefined && typeof callback !== 'function')
      fail(`callbacks.${name} is not a function.`);
  }
  if (!Array.isArray(initialMessages)) fail('initialMessages is not a list of messages.');
  if (initialMessages.some(({ role }) => role === 'system')) {
    fail('initialMessages has a system message. Put its text into systemPrompt.');
  }
  checkTools(tools, fail);
}

function checkTools(tools: SessionTools, fail: (text: string) => never): void {
  const entries = Array.isArray(tools)
    ? (tools as readonly NamedTool[]).map((tool) => [tool?.name, tool] as const)
    : Object.entries(tools);
  for (const [name, tool] of entries) {
    if (name === 'task_complete') {
      fail('task_complete is the tool that ends a session, and cannot be another. Give yours another name.');
    }
    const { kind, type, execute } = (tool ?? {}) as { kind?: string; type?: string; execute?: unknown };
    if (Array.isArray(tools) !== (kind === 'tool')) {
      fail(
        `the tool ${name} is not what is expected there. Write tools: { search: { description, inputSchema, execute } }, or tools: [tool('search', …)].`,
      );
    }
    if (kind !== 'tool' && type !== 'provider' && typeof execute !== 'function') {
      fail(
        `the tool ${name} has no execute. Where a person has to answer, let execute return suspend({ … }).`,
      );
    }
  }
}
