import type { InferToolInput, InferToolOutput, Tool, tool as aiTool } from 'ai';
import { isRecord } from '../base/is-record.ts';
import type { ClientToolOptions } from './client-tool.ts';
import type { SchemaSource, ToolArguments, ToolSchema } from './schema.ts';
import type { ToolContext, ToolOptions } from './tool-types.ts';

/**
 * A tool with a name, as {@link tool} returns it: a part of a composite tool, or a tool that a prompt declares. It is
 * checked where it is used.
 */
export type NamedTool<Name extends string = string, Types = { input: unknown; output: unknown }> = {
  readonly kind: 'tool';
  readonly name: Name;
  readonly description: string;
  readonly schema: ToolSchema;
  /** Missing for a client tool, whose function the page has. */
  readonly fn?: (args: never, context: ToolContext) => unknown;
  readonly options: ToolOptions<never> | ClientToolOptions<never>;
  /** A tool of the AI SDK, which has its own function and settings. */
  readonly ready?: Tool;
  /** Exists only for TypeScript. */
  readonly '~types'?: Types;
};

/** The result type of a function; of a series of outputs, the type of one. */
type OutputOf<Result> = Result extends AsyncIterable<infer Output> ? Output : Awaited<Result>;

/** The forms of {@link tool}. The last one is the AI SDK's own. */
export type ToolFactory = {
  <
    const Name extends string,
    const Schema extends ToolSchema,
    Result = unknown,
    const Output extends ToolSchema = never,
  >(
    name: Name,
    description: string,
    schema: Schema,
    fn: (args: ToolArguments<Schema>, context: ToolContext) => Result,
    options?: ToolOptions<ToolArguments<Schema>, Output>,
  ): NamedTool<
    Name,
    {
      input: ToolArguments<Schema>;
      output: [Output] extends [never] ? OutputOf<Result> : ToolArguments<Output>;
    }
  >;
  <
    const Name extends string,
    const Schema extends ToolSchema,
    const Output extends ToolSchema = Readonly<Record<string, unknown>>,
  >(
    name: Name,
    description: string,
    schema: Schema,
    options?: ClientToolOptions<ToolArguments<Schema>, Output>,
  ): NamedTool<
    Name,
    { input: ToolArguments<Schema>; output: ToolArguments<Output>; returned: SchemaSource<Output> }
  >;
  <const Name extends string, const Ready extends Tool>(
    name: Name,
    tool: Ready,
  ): NamedTool<Name, { input: InferToolInput<Ready>; output: InferToolOutput<Ready> }>;
} & typeof aiTool;

/**
 * A tool that is not yet part of a prompt. Without a function it is a client tool: its calls wait for the page, which
 * has a function of the same name in `usePrompt(…, { tools })`. A tool of the AI SDK gets a name with `tool(name,
 * aiTool)`; `tool({ … })` is the AI SDK's own function, so that one import serves both.
 *
 * @example
 * prompt.defTool('file', 'Files', [tool('read', 'Read a file', z.object({ path: z.string() }), ({ path }) => read(path))]);
 * @example
 * tool('pickFile', 'Lets the user pick a file', z.object({ types: z.array(z.string()) }), { outputSchema: z.string() });
 * @example
 * tool('search', openai.tools.webSearch());
 */
export const tool: ToolFactory = ((
  name: unknown,
  description: unknown,
  schema: ToolSchema,
  ...rest: [fnOrOptions?: unknown, options?: ToolOptions<never>]
): unknown => {
  // a tool of the AI SDK without a name
  if (typeof name === 'object') return name;
  if (isRecord(description)) {
    const ready = description as Tool;
    const ownDescription = typeof ready.description === 'string' ? ready.description : '';
    return { kind: 'tool', name, description: ownDescription, schema: ready.inputSchema, ready, options: {} };
  }
  const [fnOrOptions, options = {}] = rest;
  const named = { kind: 'tool', name, description, schema } as const;
  // counts arguments, because a function that is missing by mistake is passed as undefined, and is reported
  // where the tool is used
  if (rest.length > 0 && (rest.length > 1 || !isRecord(fnOrOptions))) {
    return { ...named, fn: fnOrOptions, options };
  }
  return { ...named, options: fnOrOptions ?? {} };
}) as ToolFactory;
