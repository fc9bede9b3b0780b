import type { LanguageModel, ToolSet } from 'ai';
import { CuelineError } from '../errors.ts';
import { nearestName } from '../prompt/nearest-name.ts';
import { isRecord, quoted } from '../prompt/part-error.ts';
import type { NamedTool } from '../prompt/tool.ts';
import type { Limits } from '../run/limits.ts';
import type { PromptOptions } from '../run/options.ts';
import type { CallTrace } from './call-trace.ts';
import { checkOutput, type OutputConfig } from './output-config.ts';
import type { CallLimits } from './transitions.ts';

/** Tools of an agent: what `tool(…)` makes, or the AI SDK's by their names, those of an MCP server among them. */
export type AgentTools = readonly NamedTool[] | ToolSet;

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

const names: Record<keyof AgentConfig, true> = {
  name: true,
  instructions: true,
  model: true,
  tools: true,
  output: true,
  onException: true,
  onInterrupt: true,
  maxExceptionRetries: true,
  maxInterrupts: true,
  limits: true,
  options: true,
};

/** @throws CuelineError `invalid_definition`, with what is wrong */
export function checkAgent(config: AgentConfig): void {
  if (!isRecord(config) || typeof config['name'] !== 'string' || config['name'].trim() === '') {
    throw mistake("An agent needs a name: defineAgent({ name: 'editor', instructions: '…' }).");
  }
  const { name, instructions, tools, onException, onInterrupt, options } = config;
  checkConfigNames(name, Object.keys(config));
  if (typeof instructions !== 'string' || instructions.trim() === '') {
    throw mistake(`Agent "${name}" needs instructions: { instructions: 'You edit texts.' }.`);
  }
  checkTools(name, tools);
  checkOutput(name, config.output);
  for (const [key, handler] of Object.entries({ onException, onInterrupt })) {
    if (handler === undefined || typeof handler === 'function') continue;
    if (typeof handler === 'string' && handler.trim() !== '') continue;
    throw mistake(
      `${key} of agent "${name}" is ${quoted(handler)}. Write a text, or a function that returns one.`,
    );
  }
  callLimits(config);
  if (options !== undefined && !isRecord(options)) {
    throw mistake(`The options of agent "${name}" are ${quoted(options)}. Write { … }, or leave them out.`);
  }
}

/** How often an agent's calls may go wrong, or call tools. @throws CuelineError `invalid_definition` */
export function callLimits({
  name,
  maxExceptionRetries = 3,
  maxInterrupts = 5,
}: Pick<AgentConfig, 'name' | 'maxExceptionRetries' | 'maxInterrupts'>): CallLimits {
  const limits = { maxExceptionRetries, maxInterrupts };
  for (const [key, value] of Object.entries(limits)) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw mistake(`${key} of agent "${name}" is ${quoted(value)}. Give a whole number from 0 on.`);
  }
  return limits;
}

function checkTools(name: string, tools: unknown = []): void {
  const isTool = (value: unknown): boolean => isRecord(value) && value['kind'] === 'tool';
  if (Array.isArray(tools) ? tools.every(isTool) : isRecord(tools) && !Object.values(tools).some(isTool))
    return;
  throw mistake(
    `The tools of agent "${name}" are a list of what tool(…) makes, or the AI SDK's tools by their names: { tools: [tool('search', 'what it does', z.object({ … }), async (args) => …)] }.`,
  );
}

function checkConfigNames(name: string, given: readonly string[]): void {
  const unknown = given.find((key) => !Object.hasOwn(names, key));
  if (unknown === undefined) return;
  const known = Object.keys(names);
  const nearest = nearestName(unknown, known);
  throw mistake(
    `Agent "${name}" has no "${unknown}". ${nearest === undefined ? `There are: ${known.join(', ')}. Settings of the model calls stand in its options.` : `Did you mean ${nearest}?`}`,
  );
}

function mistake(message: string): CuelineError {
  return new CuelineError('invalid_definition', message);
}
