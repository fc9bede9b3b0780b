import { CuelineError } from '../base/errors.ts';
import { toSchema, type ToolSchema } from './schema.ts';
import { checkHeader, splitOptions, type OwnToolDefinition } from './tool-definition.ts';
import type { ToolRules } from './tool-types.ts';

/**
 * The options of a client tool, which is declared without a function and runs in the page. `timeoutMs` is how
 * long a call may wait for the page, 10 minutes by default; `Infinity` turns the limit off.
 */
export type ClientToolOptions<Args = unknown, Output extends ToolSchema = ToolSchema> = ToolRules<Args> & {
  /** A schema for the page's result, validated where the run happens. Without it, any JSON is accepted. */
  outputSchema?: Output;
};

/** The default time that a call of a client tool waits for the page, in milliseconds. */
const CLIENT_TOOL_MS = 10 * 60_000;

/** Returns the definition of a client tool. @throws CuelineError `invalid_definition` */
export function clientTool(
  name: string,
  description: string,
  schema: ToolSchema,
  options: ClientToolOptions<never> = {},
): Extract<OwnToolDefinition, { kind: 'client' }> {
  checkHeader(name, description, schema);
  const { rules, callbacks, outputSchema } = splitOptions(name, options);
  const callback = Object.entries(callbacks).find(([, callback]) => callback !== undefined)?.[0];
  if (callback !== undefined) {
    throw new CuelineError(
      'invalid_definition',
      `Tool ${name} has ${callback} but no function: its calls run in the page. Give it a function, or leave ${callback} out.`,
    );
  }
  return {
    kind: 'client',
    description,
    inputSchema: toSchema(name, schema),
    outputSchema,
    rules: { timeoutMs: CLIENT_TOOL_MS, ...rules },
  };
}
