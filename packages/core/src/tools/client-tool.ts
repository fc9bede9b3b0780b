import type { ToolRules } from './tool-types.ts';
import { CuelineError } from '../base/errors.ts';
import { toSchema, type ToolSchema } from './schema.ts';
import { checkFacts, splitOptions, type OwnToolDefinition } from './tool-definition.ts';

/**
 * How a client tool is to be treated: one that is declared without a function, and runs in the page. `timeoutMs` is how
 * long a call may wait for the page, 10 minutes by default; `Infinity` turns the limit off.
 */
export type ClientToolOptions<Args = unknown, Output extends ToolSchema = ToolSchema> = ToolRules<Args> & {
  /** A schema for what the page returns, checked where the run happens. Without it, any JSON is taken. */
  outputSchema?: Output;
};

/** How long a call of a client tool waits for the page where the tool says nothing else, in milliseconds. */
const CLIENT_TOOL_MS = 10 * 60_000;

/** A client tool out of what a script says. @throws CuelineError `invalid_definition` */
export function clientTool(
  name: string,
  description: string,
  schema: ToolSchema,
  options: ClientToolOptions<never> = {},
): Extract<OwnToolDefinition, { kind: 'client' }> {
  checkFacts(name, description, schema);
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
