import type { ToolContext, ToolOptions } from '../tools/tool-types.ts';
import type { ClientToolOptions } from '../tools/client-tool.ts';
import type { Prompt } from './prompt.ts';
import type { NamedTool } from '../tools/tool.ts';

/** Adds a declared tool to a prompt. @throws CuelineError `invalid_definition` */
export function defineTool(prompt: Pick<Prompt, 'defTool' | 'defTools'>, declared: NamedTool): void {
  const { name, description, schema, options, ready } = declared;
  if (ready !== undefined) return prompt.defTools({ [name]: ready });
  if (!('fn' in declared)) {
    prompt.defTool(name, description, schema, options as ClientToolOptions);
    return;
  }
  const fn = declared.fn as (args: unknown, context: ToolContext) => unknown;
  prompt.defTool(name, description, schema, fn, options as ToolOptions);
}
