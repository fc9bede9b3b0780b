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
  readonly fn: (args: never, context: ToolContext) => unknown;
  readonly options: ToolOptions<never>;
  /** Only TypeScript sees this. */
  readonly '~types'?: Types;
};

/** What a call comes to: of a function that gives several outputs, one of them. */
type OutputOf<Result> = Result extends AsyncIterable<infer Output> ? Output : Awaited<Result>;

/**
 * A tool that is not yet part of a prompt.
 *
 * @example
 * prompt.defTool('file', 'Files', [tool('read', 'Read a file', z.object({ path: z.string() }), ({ path }) => read(path))]);
 */
export function tool<const Name extends string, const Schema extends ToolSchema, Result = unknown>(
  name: Name,
  description: string,
  schema: Schema,
  fn: (args: ToolArguments<Schema>, context: ToolContext) => Result,
  options: ToolOptions<ToolArguments<Schema>> = {},
): NamedTool<Name, { input: ToolArguments<Schema>; output: OutputOf<Result> }> {
  return { kind: 'tool', name, description, schema, fn, options };
}
