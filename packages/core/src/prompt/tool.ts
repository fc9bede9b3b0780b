import type { ToolArguments, ToolContext, ToolOptions, ToolSchema } from './tool-definition.ts';

/** A tool by itself, as {@link tool} makes it: part of a composite tool. Inert; it is checked where it is used. */
export type NamedTool = {
  readonly kind: 'tool';
  readonly name: string;
  readonly description: string;
  readonly schema: ToolSchema;
  readonly fn: (args: never, context: ToolContext) => unknown;
  readonly options: ToolOptions<never>;
};

/**
 * A tool that is not yet part of a prompt.
 *
 * @example
 * prompt.defTool('file', 'Files', [tool('read', 'Read a file', z.object({ path: z.string() }), ({ path }) => read(path))]);
 */
export function tool<const Schema extends ToolSchema>(
  name: string,
  description: string,
  schema: Schema,
  fn: (args: ToolArguments<Schema>, context: ToolContext) => unknown,
  options: ToolOptions<ToolArguments<Schema>> = {},
): NamedTool {
  return { kind: 'tool', name, description, schema, fn, options };
}
