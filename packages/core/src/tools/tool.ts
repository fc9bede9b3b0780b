import type { ClientToolOptions } from './client-tool.ts';
import { isRecord } from '../base/part-error.ts';
import type { ToolArguments, ToolContext, ToolOptions, ToolSchema } from './tool-definition.ts';

/**
 * A tool by itself, as {@link tool} makes it: part of a composite tool, or one that a prompt declares. Inert; it is
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
  /** Only TypeScript sees this. */
  readonly '~types'?: Types;
};

/** What a call comes to: of a function that gives several outputs, one of them. */
type OutputOf<Result> = Result extends AsyncIterable<infer Output> ? Output : Awaited<Result>;

/**
 * A tool that is not yet part of a prompt. Without a function it is a client tool: its calls wait for the page, which has
 * a function of the same name in `usePrompt(…, { tools })`.
 *
 * @example
 * prompt.defTool('file', 'Files', [tool('read', 'Read a file', z.object({ path: z.string() }), ({ path }) => read(path))]);
 * @example
 * tool('pickFile', 'Lets the user pick a file', z.object({ types: z.array(z.string()) }), { outputSchema: z.string() });
 */
export function tool<
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
export function tool<
  const Name extends string,
  const Schema extends ToolSchema,
  const Output extends ToolSchema = Readonly<Record<string, unknown>>,
>(
  name: Name,
  description: string,
  schema: Schema,
  options?: ClientToolOptions<ToolArguments<Schema>, Output>,
): NamedTool<Name, { input: ToolArguments<Schema>; output: ToolArguments<Output>; client: true }>;
export function tool(
  name: string,
  description: string,
  schema: ToolSchema,
  ...rest: [fnOrOptions?: unknown, options?: ToolOptions<never>]
): NamedTool {
  const [fnOrOptions, options = {}] = rest;
  const named = { kind: 'tool', name, description, schema } as const;
  // a function that is missing by mistake is given as undefined, and told where the tool is used
  if (rest.length > 0 && (rest.length > 1 || !isRecord(fnOrOptions))) {
    return { ...named, fn: fnOrOptions as NonNullable<NamedTool['fn']>, options };
  }
  return { ...named, options: fnOrOptions ?? {} };
}
