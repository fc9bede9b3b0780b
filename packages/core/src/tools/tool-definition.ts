import type { FlexibleSchema, ToolSet } from 'ai';
import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { quoteValue } from '../base/quote-value.ts';
import { checkArguments } from './check-arguments.ts';
import { checkLoopRule } from './loop-rule.ts';
import { readOutputSchema, withOutputSchema } from './output-schema.ts';
import { toSchema, type ToolSchema } from './schema.ts';
import { isStreaming, withCallbacks } from './tool-callbacks.ts';
import type {
  SubCaller,
  ToolCallbacks,
  ToolContext,
  ToolFunction,
  ToolOptions,
  ToolRules,
} from './tool-types.ts';

/** Runs the call of a composite tool with the calls inside it. */
type CompositeFunction = (args: unknown, context: ToolContext, makeSubCall: SubCaller) => unknown;

export type ToolHeader = { description: string; inputSchema: FlexibleSchema; rules: ToolRules };

/** A tool's definition: a function, several tools in one, a function of the page, or a tool of the AI SDK. */
export type OwnToolDefinition =
  /** `streams` is true if it returns outputs one after the other. The last one is the result. */
  | ({ kind: 'function'; run: ToolFunction; streams: boolean } & ToolHeader)
  | ({ kind: 'composite'; run: CompositeFunction } & ToolHeader)
  | ({ kind: 'client'; outputSchema: FlexibleSchema | undefined } & ToolHeader)
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
  checkHeader(name, description, schema);
  if (typeof fn !== 'function') {
    throw new CuelineError(
      'invalid_definition',
      `The function of tool ${name} is ${quoteValue(fn)}. Write prompt.defTool('${name}', 'what it does', z.object({ … }), async (args) => …); for a tool whose function the page has, leave it out.`,
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
export function checkHeader(name: string, description: string, schema: unknown): void {
  checkToolName(name);
  if (typeof description !== 'string') {
    throw new CuelineError(
      'invalid_definition',
      `The description of tool ${name} is ${quoteValue(description)}. Write a string that describes what it does.`,
    );
  }
  checkArguments(name, schema);
}

/** @throws CuelineError `invalid_definition` for a name that a provider would refuse */
export function checkToolName(name: string): void {
  if (typeof name !== 'string') {
    throw new CuelineError(
      'invalid_definition',
      `A tool's name is ${quoteValue(name)}. Write a string, such as 'getWeather'.`,
    );
  }
  if (toolName.test(name) && name !== '__proto__') return;
  throw new CuelineError(
    'invalid_definition',
    `"${name}" cannot be a tool's name. Use up to 64 letters, digits, _ and -, and begin with a letter or _, such as getWeather.`,
  );
}

const ruleNames = [
  'effect',
  'idempotent',
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
      `The options of tool ${name} are ${quoteValue(options)}. Write { … }, or leave them out.`,
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
  if (rules.idempotent !== undefined && typeof rules.idempotent !== 'boolean') {
    throw new CuelineError(
      'invalid_definition',
      `idempotent of tool ${name} is ${quoteValue(rules.idempotent)}. Use true if a call may be made twice, or false.`,
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
