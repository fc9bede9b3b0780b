import type { FlexibleSchema, InferSchema, ToolExecutionOptions, ToolSet } from 'ai';
import type { SharedV4ProviderOptions as ProviderOptions } from '@ai-sdk/provider';
import { CuelineError } from '../base/errors.ts';
import { checkArguments } from './check-arguments.ts';
import { checkLoopRule, type LoopRule } from './loop-rule.ts';
import { checkNames } from '../base/check-names.ts';
import { readOutputSchema, withOutputSchema } from './output-schema.ts';
import { isRecord, quoted } from '../base/part-error.ts';
import { toSchema } from './schema.ts';
import { isStreaming, withCallbacks, type ToolCallbacks } from './tool-callbacks.ts';

/** The second argument of a tool function: `toolCallId`, `messages`, `abortSignal` and `idempotencyKey`. */
export type ToolContext<Context = unknown> = ToolExecutionOptions<Context> & {
  /**
   * A text that stays the same whenever this call is made again, after a retry, a reload or on another server, and
   * that no other call has. Pass it to a service with idempotency keys, and the service acts on the call once.
   */
  readonly idempotencyKey: string;
};

/** A schema for a tool's arguments: zod, any other Standard Schema, the AI SDK's `jsonSchema()`, or plain JSON Schema. */
export type ToolSchema = FlexibleSchema | JsonSchema;

/** Not the AI SDK's own type, which is `any` without the types of json-schema. */
type JsonSchema = Readonly<Record<string, unknown>> | { readonly type?: unknown; readonly anyOf?: unknown };

/** The type of a tool function's arguments; `unknown` for plain JSON Schema, which has no types. */
export type ToolArguments<Schema> = Schema extends FlexibleSchema ? InferSchema<Schema> : unknown;

/** What a call affects: nothing, something that the script owns, or something outside of it. */
export type ToolEffect = 'read' | 'write' | 'external';

/** How a tool's calls are handled. */
export type ToolRules<Args = unknown> = {
  /** The effect of a call, for approvals and the loop guard. Unset means unknown. */
  effect?: ToolEffect;
  /** The same call may be repeated without limit, for example to poll. Default false: repeated calls are a loop. */
  repeatable?: boolean;
  /** How often the same call may be made. `false` is the same as `repeatable`. Default: as `options.loopGuard` says. */
  loopGuard?: LoopRule | false;
  /**
   * Whether a call needs an approval before it runs. Default: as `options.approval` says. A function also gets the
   * effects for which the run asks.
   */
  needsApproval?: boolean | ((args: Args, asked: readonly ToolEffect[]) => boolean | Promise<boolean>);
  /** The maximum duration of one call, in milliseconds. Default: unlimited. */
  timeoutMs?: number;
  /** Passed on to the provider with the tool. */
  providerOptions?: ProviderOptions;
};

/** The options of `defTool`: rules, callbacks around each call, and a schema for the result. */
export type ToolOptions<Args = unknown, Output extends ToolSchema = ToolSchema> = ToolRules<Args> & {
  /**
   * A schema for the result, which the log and the model get as parsed by it. A result that does not fit is an error
   * of the tool, with the path of what is wrong. Plain JSON Schema checks nothing.
   */
  outputSchema?: Output;
  /**
   * Called before the function. If it returns anything but undefined, that is the result, and the function is not
   * called.
   */
  beforeCall?: (args: Args, context: ToolContext) => unknown;
  /** Called with the result. If it returns anything but undefined, that replaces the result. */
  onSuccess?: (args: Args, output: unknown, context: ToolContext) => unknown;
  /** Called with the thrown error. If it returns anything but undefined, that becomes the result. */
  onError?: (args: Args, error: unknown, context: ToolContext) => unknown;
};

/** One call inside a composite tool's call. */
export type SubCall = {
  name: string;
  input: unknown;
  run: (context: ToolContext) => unknown;
} & Partial<Pick<ToolRules, 'effect' | 'repeatable' | 'loopGuard' | 'timeoutMs'>>;

/** The outcome of such a call as the model may read it; `{ error }` if it failed. The note says if it is a repeat. */
export type SubCallOutcome = { result: unknown; note?: string };

/** Makes such a call. */
export type SubCaller = (call: SubCall, context: ToolContext) => Promise<SubCallOutcome>;

/** A function that runs a call, with parsed arguments. */
export type ToolFunction = (args: unknown, context: ToolContext) => unknown;

/** Runs the call of a composite tool with the calls inside it. */
type CompositeFunction = (args: unknown, context: ToolContext, makeSubCall: SubCaller) => unknown;

export type ToolFacts = { description: string; inputSchema: FlexibleSchema; rules: ToolRules };

/** A tool's definition: a function, several tools in one, a function of the page, or a tool of the AI SDK. */
export type OwnToolDefinition =
  /** `streams` is true if it returns outputs one after the other. The last one is the result. */
  | ({ kind: 'function'; run: ToolFunction; streams: boolean } & ToolFacts)
  | ({ kind: 'composite'; run: CompositeFunction } & ToolFacts)
  | ({ kind: 'client'; outputSchema: FlexibleSchema | undefined } & ToolFacts)
  | { kind: 'ready'; tool: ToolSet[string] };

/** Names that every provider accepts. */
const toolName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Returns the definition of a tool with a function. @throws CuelineError `invalid_definition` */
export function functionTool(
  name: string,
  description: string,
  schema: ToolSchema,
  fn: (args: never, context: ToolContext) => unknown,
  options: ToolOptions<never> = {},
): Extract<OwnToolDefinition, { kind: 'function' }> {
  checkFacts(name, description, schema);
  if (typeof fn !== 'function') {
    throw new CuelineError(
      'invalid_definition',
      `The function of tool ${name} is ${quoted(fn)}. Write prompt.defTool('${name}', 'what it does', z.object({ … }), async (args) => …); for a tool whose function the page has, leave it out.`,
    );
  }
  const { rules, callbacks, outputSchema } = splitOptions(name, options);
  const run = withCallbacks(fn as ToolFunction, callbacks);
  const streams = isStreaming(fn);
  return {
    kind: 'function',
    description,
    inputSchema: toSchema(name, schema),
    rules,
    run: outputSchema === undefined ? run : withOutputSchema(name, run, outputSchema, streams),
    streams,
  };
}

/** Checks the fields that every tool has. @throws CuelineError `invalid_definition` */
export function checkFacts(name: string, description: string, schema: unknown): void {
  checkToolName(name);
  if (typeof description !== 'string') {
    throw new CuelineError(
      'invalid_definition',
      `The description of tool ${name} is ${quoted(description)}. Write a text that says what it does.`,
    );
  }
  checkArguments(name, schema);
}

/** @throws CuelineError `invalid_definition` for a name that a provider would refuse */
export function checkToolName(name: string): void {
  if (typeof name !== 'string') {
    throw new CuelineError(
      'invalid_definition',
      `A tool's name is ${quoted(name)}. Write a text, such as 'getWeather'.`,
    );
  }
  if (toolName.test(name) && name !== '__proto__') return;
  throw new CuelineError(
    'invalid_definition',
    `"${name}" cannot be a tool's name. Use up to 64 letters, digits, _ and -, and begin with a letter, such as getWeather.`,
  );
}

const ruleNames = [
  'effect',
  'repeatable',
  'loopGuard',
  'needsApproval',
  'timeoutMs',
  'providerOptions',
] as const;
const callbackNames = ['beforeCall', 'onSuccess', 'onError'] as const;

/** Checks a tool's options, and splits them into rules and callbacks. @throws CuelineError `invalid_definition` */
export function splitOptions(
  name: string,
  options: ToolOptions<never>,
): { rules: ToolRules; callbacks: ToolCallbacks; outputSchema: FlexibleSchema | undefined } {
  if (!isRecord(options)) {
    throw new CuelineError(
      'invalid_definition',
      `The options of tool ${name} are ${quoted(options)}. Write { … }, or leave them out.`,
    );
  }
  checkNames(`Tool ${name}`, options, [...ruleNames, ...callbackNames, 'outputSchema'], 'invalid_definition');
  const { beforeCall, onSuccess, onError, outputSchema, ...rules } = options as ToolOptions;
  if (rules.effect !== undefined && !['read', 'write', 'external'].includes(rules.effect)) {
    throw new CuelineError(
      'invalid_definition',
      `The effect of tool ${name} is "${rules.effect}". Use 'read', 'write' or 'external'.`,
    );
  }
  checkLoopRule(`loopGuard of tool ${name}`, rules.loopGuard, 'invalid_definition');
  if (rules.timeoutMs !== undefined && !(rules.timeoutMs > 0)) {
    throw new CuelineError(
      'invalid_definition',
      `timeoutMs of tool ${name} is ${rules.timeoutMs}. Give milliseconds above 0, such as 5000.`,
    );
  }
  const callbacks = { beforeCall, onSuccess, onError } as ToolCallbacks;
  for (const key of callbackNames) {
    if (callbacks[key] !== undefined && typeof callbacks[key] !== 'function') {
      throw new CuelineError('invalid_definition', `${key} of tool ${name} is not a function.`);
    }
  }
  return {
    rules,
    callbacks,
    outputSchema: outputSchema === undefined ? undefined : readOutputSchema(name, outputSchema),
  };
}
