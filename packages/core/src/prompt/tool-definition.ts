import {
  jsonSchema,
  tool,
  type FlexibleSchema,
  type InferSchema,
  type JSONSchema7,
  type Tool,
  type ToolExecutionOptions,
} from 'ai';
import { CuelineError } from '../errors.ts';

/** What a tool function gets besides its arguments: `toolCallId`, `messages` and `abortSignal`. */
export type ToolContext = ToolExecutionOptions<unknown>;

/** A schema for a tool's arguments: zod, any other Standard Schema, the AI SDK's `jsonSchema()`, or plain JSON Schema. */
export type ToolSchema = FlexibleSchema | JSONSchema7;

/** What a tool function gets as arguments; `unknown` for plain JSON Schema, which says nothing to TypeScript. */
export type ToolArguments<Schema> = Schema extends FlexibleSchema ? InferSchema<Schema> : unknown;

/** What a tool's name may be with every provider. */
const toolName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** An AI SDK tool out of what a script says. @throws CuelineError `invalid_definition` */
export function createTool<Schema extends ToolSchema>(
  name: string,
  description: string,
  schema: Schema,
  fn: (args: ToolArguments<Schema>, context: ToolContext) => unknown,
): Tool {
  if (!toolName.test(name) || name === '__proto__') {
    throw new CuelineError(
      'invalid_definition',
      `"${name}" cannot be a tool's name. Use up to 64 letters, digits, _ and -, and begin with a letter, such as getWeather.`,
    );
  }
  if (typeof fn !== 'function') {
    throw new CuelineError(
      'invalid_definition',
      `Tool ${name} has no function. Write prompt.defTool('${name}', 'what it does', z.object({ … }), async (args) => …).`,
    );
  }
  return tool({
    description,
    inputSchema: flexible(name, schema),
    execute: (args: unknown, context: ToolContext) => {
      const output = fn(args as ToolArguments<Schema>, context);
      // the AI SDK streams an iterable that is returned directly, and only that
      if (isAsyncIterable(output)) return checkedOutputs(name, output);
      const checked = Promise.resolve(output).then((value) => checkedOutput(name, value));
      return untilAborted(checked, context.abortSignal);
    },
  }) as Tool;
}

function flexible(name: string, schema: ToolSchema): FlexibleSchema {
  if (typeof schema === 'function' || (typeof schema === 'object' && schema !== null)) {
    const known = typeof schema === 'function' || '~standard' in schema || 'jsonSchema' in schema;
    return known ? (schema as FlexibleSchema) : jsonSchema(schema as JSONSchema7);
  }
  throw new CuelineError(
    'invalid_definition',
    `Tool ${name} has no schema for its arguments. Use z.object({ … }), or z.object({}) where it takes none.`,
  );
}

async function* checkedOutputs(name: string, outputs: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const output of outputs) yield checkedOutput(name, output);
}

/** A tool that does not listen to its signal must not hold up a run that is stopped, or a time limit. */
async function untilAborted(output: Promise<unknown>, signal: AbortSignal | undefined): Promise<unknown> {
  if (signal === undefined) return output;
  let letGo: () => void = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    letGo = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
  try {
    return await Promise.race([output, aborted]);
  } finally {
    letGo();
  }
}

/** What the model is sent must be JSON; what is not becomes a tool error that says so. */
function checkedOutput(name: string, output: unknown): unknown {
  if (output === undefined) return null;
  if (typeof output === 'function' || isAsyncIterable(output)) {
    throw new CuelineError(
      'invalid_definition',
      `Tool ${name} returned a ${typeof output === 'function' ? 'function' : 'generator out of a promise'}. Return its result, or make the tool itself an async function*.`,
    );
  }
  try {
    JSON.stringify(output);
    return output;
  } catch (error) {
    throw new CuelineError(
      'invalid_definition',
      `Tool ${name} returned something that is not JSON (${error instanceof Error ? error.message.split('\n')[0] : 'unknown reason'}). Return plain objects, arrays, strings, numbers.`,
      { cause: error },
    );
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
